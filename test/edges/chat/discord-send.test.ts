import { describe, expect, it } from 'vitest'
import type { Card } from '../../../src/edges/chat/adapter.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { until } from '../../support/until.ts'
import { never, openScene, outgoing, sent } from './discord-harness.ts'

const card = (more: Partial<Card> = {}): Card => ({
  title: 'Apply changes?',
  tone: 'waiting',
  lines: [{ kind: 'diff', text: '-old\n+new' }],
  buttons: [
    { action: 'a:1:approve', label: 'Approve', style: 'primary' },
    { action: 'a:1:reject', label: 'Reject', style: 'danger' },
  ],
  footer: 'session 1',
  mention: null,
  ...more,
})
const posts = /^POST \/channels\/\d+\/messages$/

describe('a message to Discord', () => {
  it('arrives with its key, mentions nobody, and shows no previews', async () => {
    await using scene = await openScene()
    const { discord, channel } = scene
    const message = outgoing(channel, 'see https://x.test <@1>')
    const id = await sent(scene, message)
    const nonce = Buffer.from(message.key.replaceAll('-', ''), 'hex').toString('base64url')
    expect(nonce).toHaveLength(22)
    expect(discord.messages(channel)).toMatchObject([{ id, content: 'see https://x.test \\<@1>', nonce, flags: 4 }])
    const [call] = discord.callsOf(posts)
    expect(call?.body).toMatchObject({ enforce_nonce: true, allowed_mentions: { parse: [], replied_user: false } })
    expect(call?.body.allowed_mentions).not.toHaveProperty('users')
    expect(call).toMatchObject({
      authorization: `Bot ${discord.token}`,
      agent: expect.stringMatching(/^DiscordBot \(/),
    })
    expect(escaped).toEqual([])
  })

  it('mentions the person of a card, when it is posted and when it is edited', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const ann = discord.person('ann')
    const message = outgoing(channel, { kind: 'card', card: card({ mention: ann.id }) })
    const messageId = await sent(scene, message)
    const allowed = { parse: [], users: [ann.id], replied_user: false }
    expect(discord.messages(channel)).toMatchObject([{ allowed }])
    await connection.edit({ chat: channel, thread: null, messageId }, message, never)
    expect(discord.callsOf(/^PATCH/)).toMatchObject([{ body: { allowed_mentions: allowed } }])
  })

  it('starts a thread under a message, once, and continues there', async () => {
    await using scene = await openScene()
    const { discord, channel } = scene
    const root = discord.person('ann').writes(channel, 'please help').id
    const first = await sent(scene, outgoing(channel, '**working** on it @everyone', { thread: root, replyTo: root }))
    const second = await sent(scene, outgoing(channel, 'done', { thread: root }))
    expect(discord.messages(root)).toMatchObject([{ id: first, type: 0 }, { id: second }])
    expect(discord.guild.channels.get(root)).toMatchObject({
      type: 11,
      name: 'working on it everyone',
      parent_id: channel,
    })
    expect(discord.callsOf(/\/threads$/)).toHaveLength(1)
    expect(discord.messages(channel)).toHaveLength(1)
  })

  it('goes into a thread that somebody else started at the same moment', async () => {
    await using scene = await openScene()
    const { discord, channel } = scene
    const root = discord.person('ann').writes(channel, 'please help').id
    discord.guild.addChannel({ id: root, type: 11, name: 'x', parent_id: channel })
    discord.fail({ call: posts, status: 404, code: 10003 })
    const id = await sent(scene, outgoing(channel, 'working', { thread: root }))
    expect(discord.messages(root)).toMatchObject([{ id }])
  })

  it('stays in a direct chat, which has no threads, and is edited there', async () => {
    await using scene = await openScene()
    const { discord, connection } = scene
    const ann = discord.person('ann')
    const chat = ann.direct()
    const root = ann.writes(chat, 'help').id
    const messageId = await sent(scene, outgoing(chat, 'working', { thread: root }))
    const place = { chat, thread: root, messageId }
    expect(await connection.edit(place, outgoing(chat, 'done'), never)).toMatchObject({ kind: 'sent' })
    expect(await connection.react({ ...place, messageId: root }, '👀', never)).toMatchObject({ kind: 'sent' })
    expect(discord.messages(chat)).toMatchObject([{ reactions: ['👀'] }, { content: 'done' }])
  })

  it('that could not start its thread did not arrive', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const root = discord.person('ann').writes(channel, 'please help').id
    const message = outgoing(channel, 'working', { thread: root })
    discord.fail({ call: /\/threads$/, drop: 'after' })
    expect(await connection.send(message, never)).toMatchObject({ kind: 'transient' })
    await sent(scene, message)
    expect(discord.messages(root)).toHaveLength(1)
    expect(await connection.send(outgoing(channel, 'x', { thread: '12345' }), never)).toMatchObject({ kind: 'gone' })
  })

  it('replies to another one', async () => {
    await using scene = await openScene()
    const { discord, channel } = scene
    const question = discord.person('ann').writes(channel, 'why?').id
    await sent(scene, outgoing(channel, 'because', { replyTo: question }))
    await sent(scene, outgoing(channel, 'it was deleted', { replyTo: '12345' }))
    expect(discord.messages(channel)).toMatchObject([
      {},
      { type: 19, message_reference: { message_id: question } },
      { type: 0 },
    ])
  })

  it('is edited as a whole: no old button and no old embed stays', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const long = card({ lines: [{ kind: 'text', text: 'words '.repeat(500) }] })
    const messageId = await sent(scene, outgoing(channel, { kind: 'card', card: long }))
    expect(discord.messages(channel)).toMatchObject([{ embeds: [{}], components: [{}], flags: 0 }])
    const place = { chat: channel, thread: null, messageId }
    const answered = card({ tone: 'good', title: 'Approved by ann', buttons: [], lines: [] })
    const edited = await connection.edit(place, outgoing(channel, { kind: 'card', card: answered }), never)
    expect(edited).toEqual({ kind: 'sent', messageId })
    expect(discord.messages(channel)).toMatchObject([
      { content: '✅ **Approved by ann**\n-# session 1', embeds: [], components: [], flags: 4 },
    ])
    discord.fail({ call: /^PATCH/, status: 400, code: 30_046 })
    expect(await connection.edit(place, outgoing(channel, 'x'), never)).toMatchObject({ kind: 'rate_limited' })
    const gone = { ...place, messageId: '12345' }
    expect(await connection.edit(gone, outgoing(channel, 'x'), never)).toMatchObject({ kind: 'gone' })
  })

  it('gets a reaction once', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const messageId = await sent(scene, outgoing(channel, 'hello'))
    const place = { chat: channel, thread: null, messageId }
    for (const emoji of ['✅', '✅', '▶️'])
      expect(await connection.react(place, emoji, never)).toEqual({ kind: 'sent', messageId })
    expect(discord.messages(channel)).toMatchObject([{ reactions: ['✅', '▶️'] }])
    expect(await connection.react(place, 'no emoji', never)).toMatchObject({ kind: 'permanent' })
  })
})

describe('what a failure means', () => {
  it.each([
    [
      { status: 429, retryAfter: 1.337 },
      { kind: 'rate_limited', retryAfterMs: 1337 },
    ],
    [{ status: 500 }, { kind: 'unsure' }],
    [{ status: 502 }, { kind: 'unsure' }],
    [{ status: 302 }, { kind: 'unsure' }],
    [{ drop: 'before' }, { kind: 'unsure' }],
    [{ drop: 'after' }, { kind: 'unsure' }],
    [{ status: 400, code: 50_035 }, { kind: 'permanent' }],
    [{ status: 404 }, { kind: 'permanent' }],
    [{ status: 404, code: 10_003 }, { kind: 'gone' }],
    [
      { status: 403, code: 50_001 },
      { kind: 'gone', error: 'posting a message failed: Discord answered 403 (50001: fault)' },
    ],
    [{ status: 403, code: 50_013 }, { kind: 'gone' }],
    [{ status: 401, code: 0 }, { kind: 'refused' }],
  ] as const)('%j', async (fault, expected) => {
    await using scene = await openScene()
    scene.discord.fail({ call: posts, ...fault })
    expect(await scene.connection.send(outgoing(scene.channel, 'hello'), never)).toMatchObject(expected)
    // It was never tried twice.
    expect(scene.discord.callsOf(posts)).toHaveLength(1)
  })

  it('a limit on all calls stops all of them', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    discord.fail({ call: posts, status: 429, retryAfter: 60, global: true })
    const limited = { kind: 'rate_limited' }
    expect(await connection.send(outgoing(channel, 'one'), never)).toMatchObject({ ...limited, retryAfterMs: 60_000 })
    const calls = discord.calls.length
    expect(await connection.send(outgoing(channel, 'two'), never)).toMatchObject(limited)
    expect(await connection.openDirect('123')).toMatchObject(limited)
    expect(discord.calls).toHaveLength(calls)
  })

  it('real limits and rights: too long, no access, unknown, a large file', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const body = { content: 'x', embeds: [], components: [], flags: 0, mention: null }
    const raw = (more: object, chat = channel) =>
      connection.send({ ...outgoing(chat, 'x'), rendered: { body: { ...body, ...more }, file: null } }, never)
    expect(await raw({ content: 'x'.repeat(2001) })).toMatchObject({ kind: 'permanent' })
    expect(await raw({ content: 5 })).toMatchObject({ kind: 'permanent' })
    expect(await raw({}, discord.channel('hidden', { hidden: true }))).toMatchObject({ kind: 'gone' })
    expect(await raw({}, '12345')).toMatchObject({ kind: 'gone' })
    const bytes = Buffer.alloc(10 * 1024 * 1024 + 1, 'x')
    const large = outgoing(channel, { kind: 'file', name: 'a', bytes, text: null })
    expect(await connection.send(large, never)).toMatchObject({ kind: 'permanent' })
    expect(discord.messages(channel)).toEqual([])
  })

  it('a call that is stopped: it may have arrived', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const answer = Promise.withResolvers<void>()
    discord.fail({ call: posts, hold: answer.promise })
    const stop = new AbortController()
    const sending = connection.send(outgoing(channel, 'hello'), stop.signal)
    await until(() => discord.messages(channel).length === 1)
    stop.abort()
    expect(await sending).toMatchObject({ kind: 'unsure' })
    answer.resolve()
  })

  it('a server that is not there: it did not arrive', async () => {
    const scene = await openScene()
    await scene.discord[Symbol.asyncDispose]()
    expect(await scene.connection.send(outgoing(scene.channel, 'hello'), never)).toMatchObject({ kind: 'transient' })
    await scene.connection[Symbol.asyncDispose]()
  })

  it('a token that was reset is seen in the health, and is in no log or error', async () => {
    await using scene = await openScene()
    const { discord, connection, channel, log } = scene
    discord.revoked.add(discord.token)
    const refused = await connection.send(outgoing(channel, 'hello'), never)
    expect(refused).toMatchObject({ kind: 'refused' })
    discord.gateway.drop()
    await until(() => discord.gateway.opened() === 2)
    expect(connection.health()).toMatchObject({ state: 'refused', error: expect.stringContaining('401') })
    expect(JSON.stringify([refused, connection.health(), log.lines])).not.toContain(discord.token)
  })
})

it('a file is sent with its words by one call', async () => {
  await using scene = await openScene()
  const { discord, channel } = scene
  const root = discord.person('ann').writes(channel, 'root').id
  const bytes = Buffer.from('hello')
  const file = { kind: 'file' as const, name: '../a\nb.txt', bytes, text: '**look** <@1>' }
  const message = outgoing(channel, file, { thread: root })
  const id = await sent(scene, message)
  expect(discord.messages(root)).toMatchObject([
    { id, content: '**look** \\<@1>', attachments: [{ filename: '.._a_b.txt', size: 5 }] },
  ])
  const call = discord.callsOf(posts).at(-1)!
  expect(call.files).toEqual([{ name: '.._a_b.txt', bytes }])
  expect(call.body).toMatchObject({ enforce_nonce: true, allowed_mentions: { parse: [] } })
  const place = { chat: channel, thread: root, messageId: id }
  expect(await scene.connection.edit(place, message, never)).toMatchObject({ kind: 'permanent' })
})

describe('what only one person sees', () => {
  const text = { kind: 'text' as const, text: 'only the owner may answer' }

  it('answers a click or a command at once, if it is quick', async () => {
    await using scene = await openScene()
    const { discord, channel, connection, inbox } = scene
    const ann = discord.person('ann')
    const { interaction } = ann.commands(channel, 'sessions')
    const { reply } = await inbox.first('command')
    const to = { chat: channel, thread: null, handle: ann.id, reply }
    const long = { kind: 'text' as const, text: 'words '.repeat(500) }
    expect(await connection.privately(to, long)).toMatchObject({ kind: 'sent' })
    expect(interaction.response).toMatchObject({ type: 4 })
    expect(interaction.seen).toHaveLength(2)
    for (const { flags, allowed_mentions: allowed } of interaction.seen) {
      expect(flags! & 64).toBe(64)
      expect(allowed).toMatchObject({ parse: [] })
    }
    expect(discord.messages(channel)).toEqual([])
  })

  it('fills the answer to a command that took longer, then follows', async () => {
    await using scene = await openScene()
    const { discord, channel, connection, inbox } = scene
    const ann = discord.person('ann')
    const { interaction, acked } = ann.commands(channel, 'sessions')
    expect(await acked).toBe(5)
    const { reply } = await inbox.first('command')
    const to = { chat: channel, thread: null, handle: ann.id, reply }
    await connection.privately(to, text)
    await connection.privately(to, { kind: 'text', text: 'more' })
    expect(interaction.seen).toMatchObject([{ content: text.text }, { content: 'more', flags: 68 }])
    expect(discord.callsOf(/@original$/)).toHaveLength(1)
    // These have tokens of their own; ours is not sent.
    expect(
      discord.callsOf(/^(?:POST|PATCH) \/(?:webhooks|interactions)/).map(({ authorization }) => authorization),
    ).toEqual(['', '', ''])
  })

  it('follows a click that was acknowledged', async () => {
    await using scene = await openScene()
    const { discord, channel, connection, inbox } = scene
    const ann = discord.person('ann')
    const messageId = await sent(scene, outgoing(channel, { kind: 'card', card: card() }))
    const { interaction, acked } = ann.clicks(channel, messageId, 'Approve')
    expect(await acked).toBe(6)
    const { reply } = await inbox.first('click')
    await connection.privately({ chat: channel, thread: null, handle: ann.id, reply }, text)
    expect(interaction.seen).toMatchObject([{ content: text.text, flags: 68 }])
  })

  it('is a direct message without a click, or if its token has expired', async () => {
    await using scene = await openScene()
    const { discord, channel, connection } = scene
    const ann = discord.person('ann')
    const to = { chat: channel, thread: null, handle: ann.id }
    expect(await connection.privately(to, text)).toMatchObject({ kind: 'sent' })
    const expired = JSON.stringify({ id: '1', token: '../users/@me', fills: true })
    expect(await connection.privately({ ...to, reply: expired }, text)).toMatchObject({ kind: 'sent' })
    expect(await connection.privately({ ...to, reply: 'nonsense' }, text)).toMatchObject({ kind: 'sent' })
    expect(discord.messages(ann.direct())).toHaveLength(3)
    expect(discord.messages(channel)).toEqual([])
    expect(await connection.openDirect(ann.id)).toMatchObject({
      kind: 'open',
      chat: { id: ann.direct(), isDirect: true },
    })
    expect(await connection.openDirect('12345')).toMatchObject({ kind: 'gone' })
    expect(await connection.openDirect('../x')).toMatchObject({ kind: 'gone' })
  })
})
