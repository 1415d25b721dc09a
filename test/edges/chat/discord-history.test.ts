import { describe, expect, it } from 'vitest'
import type { Outgoing } from '../../../src/edges/chat/adapter.ts'
import '../../support/chats/loopback-guard.ts'
import { until } from '../../support/until.ts'
import { connectAgain, connected, never, openScene, outgoing, sent, type Scene } from './discord-harness.ts'

const posts = /^POST \/channels\/\d+\/messages$/
const reads = /^GET \/channels\/\d+\/messages$/

describe('a message in doubt', () => {
  /** Looks first, as the sender does. */
  async function sendAgain({ connection }: Pick<Scene, 'connection'>, message: Outgoing, after: string | null) {
    const found = await connection.find(message, { after, since: Date.now() }, never)
    if (found.kind === 'found') return 'found'
    expect(found.kind).toBe('absent')
    expect(await connection.send(message, never)).toMatchObject({ kind: 'sent' })
    return 'sent'
  }

  it.each([
    ['channel', true],
    ['thread', true],
    ['channel', false],
    ['thread', false],
  ])('is found in a %s, and not sent twice (nonces in the history: %s)', async (where, keepsNonces) => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    discord.settings.keepsNonces = keepsNonces
    const root = await sent(scene, outgoing(channel, 'root'))
    const thread = where === 'thread' ? root : null
    if (thread) discord.guild.addChannel({ id: root, type: 11, name: 'x', parent_id: channel })
    const results: string[] = []
    for (const [index, fault] of [{ drop: 'after' }, { drop: 'before' }, { status: 502 }].entries()) {
      const message = outgoing(channel, `message ${index}  `, { thread })
      discord.fail({ call: posts, ...(fault as object) })
      expect(await connection.send(message, never)).toMatchObject({ kind: 'unsure' })
      // Others say the same in between.
      discord.person(`person ${index}`).writes(thread ?? channel, `message ${index}`)
      // Another process, which heard nothing of it, minutes later.
      discord.rest.forgetNonces()
      await using again = connectAgain(scene)
      await connected(again)
      results.push(await sendAgain({ connection: again }, message, root))
    }
    expect(results).toEqual(['found', 'sent', 'sent'])
    const ours = discord.messages(thread ?? channel).filter(({ author }) => author.bot)
    expect(ours.map(({ content }) => content).filter((text) => text !== 'root')).toEqual([
      'message 0',
      'message 1',
      'message 2',
    ])
  })

  it('is found by its nonce, not by a text that we said before', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    await sent(scene, outgoing(channel, 'Done.'))
    const again = outgoing(channel, 'Done.')
    discord.fail({ call: posts, drop: 'before' })
    expect(await connection.send(again, never)).toMatchObject({ kind: 'unsure' })
    expect(await sendAgain(scene, again, null)).toBe('sent')
    expect(discord.messages(channel)).toHaveLength(2)
  })

  it('that the gateway told of needs no look; one that is sent again too early comes back as the first', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const message = outgoing(channel, 'hello')
    discord.fail({ call: posts, drop: 'after' })
    expect(await connection.send(message, never)).toMatchObject({ kind: 'unsure' })
    const { id } = discord.messages(channel)[0]!
    await until(async () => {
      const found = await connection.find(message, { after: null, since: Date.now() }, never)
      return found.kind === 'found' && discord.callsOf(reads).length <= 1
    })
    expect(await connection.send(message, never)).toEqual({ kind: 'sent', messageId: id })
    expect(discord.messages(channel)).toHaveLength(1)
  })

  it('is found far back, over many pages, and not called absent if Discord cannot be asked', async () => {
    await using scene = await openScene()
    const { discord, channel } = scene
    const message = outgoing(channel, { kind: 'file', name: 'a.txt', bytes: Buffer.from('hello'), text: 'look' })
    discord.fail({ call: posts, drop: 'after' })
    await scene.connection.send(message, never)
    const author = { id: '77', username: 'x', global_name: null, bot: false }
    for (let count = 0; count < 250; count += 1) discord.guild.add({ channel_id: channel, author })
    const messageId = discord.messages(channel)[0]!.id
    await using again = connectAgain(scene)
    await connected(again)
    const where = { after: null, since: Date.now() }
    for (const keepsNonces of [true, false]) {
      discord.settings.keepsNonces = keepsNonces
      expect(await again.find(message, where, never)).toEqual({ kind: 'found', messageId })
    }
    discord.fail({ call: reads, status: 429, retryAfter: 3 })
    discord.fail({ call: reads, status: 500 })
    expect(await again.find(message, where, never)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 3000 })
    expect(await again.find(message, where, never)).toMatchObject({ kind: 'transient' })
    for (let count = 0; count < 2000; count += 1) discord.guild.add({ channel_id: channel, author })
    const other = outgoing(channel, 'other')
    expect(await again.find(other, where, never)).toMatchObject({ kind: 'unknown' })
  })
})

describe('a gap', () => {
  it.each(['thread', 'channel'])('in a %s is read up, oldest first, without bots', async (where) => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const ann = discord.person('ann')
    const thread = where === 'thread' ? ann.startsThread(channel, 'work') : null
    const seen = ann.writes(thread ?? channel, 'seen')
    discord.gateway.expire()
    const missed = Array.from({ length: 250 }, (_, index) =>
      ann.writes(thread ?? channel, `${index} <@${discord.guild.bot.id}>`),
    )
    await sent(scene, outgoing(channel, 'ours', { thread }))
    const chat = { id: channel, name: 'ops', isGroup: true, isDirect: false }
    const read = await connection.missed(chat, thread, seen.id, never)
    if (read.kind !== 'read') throw new Error(read.error)
    expect(read.more).toBe(false)
    expect(read.events.map(({ text }) => text)).toEqual(missed.map((_, index) => String(index)))
    expect(read.events[0]).toMatchObject({ key: `message:${missed[0]!.id}`, thread, mentionsUs: true, chat })
  })

  it('in a thread that never began is empty', async () => {
    await using scene = await openScene()
    const chat = { id: scene.channel, name: 'ops', isGroup: true, isDirect: false }
    expect(await scene.connection.missed(chat, '12345', '12345', never)).toEqual({
      kind: 'read',
      events: [],
      more: false,
    })
    expect(await scene.connection.missed({ ...chat, id: '12345' }, null, '1', never)).toMatchObject({ kind: 'gone' })
  })
})
