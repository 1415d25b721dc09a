import { describe, expect, it } from 'vitest'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { connectAgain, connected, never, openScene, outgoing, sent, type Scene } from './discord-harness.ts'

const texts = ({ inbox }: Scene): string[] =>
  inbox.events.flatMap((event) => (event.kind === 'message' ? [event.text] : []))

describe('messages from Discord', () => {
  it('arrive once, without our own mention, as people see them', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const [ann, bob] = [discord.person('ann'), discord.person('bob')]
    const { id } = ann.writes(
      channel,
      `<@${discord.guild.bot.id}> ask <@${bob.id}> in <#${channel}> <:ok:123> <t:0:F> <https://x.test> a < b`,
    )
    await until(() => inbox.events.length === 1)
    expect(inbox.events).toEqual([
      {
        kind: 'message',
        key: `message:${id}`,
        chat: { id: channel, name: 'ops', isGroup: true, isDirect: false },
        thread: null,
        messageId: id,
        sender: { handle: ann.id, identity: `discord:${ann.id}`, name: 'ann', isBot: false },
        text: 'ask @bob in #ops :ok: 1970-01-01T00:00:00.000Z https://x.test a < b',
        mentionsUs: true,
        files: [],
        replyTo: null,
        at: expect.stringMatching(/^20\d\d-/),
      },
    ])
    const at = Date.parse((inbox.events[0] as { at: string }).at)
    expect(Math.abs(Date.now() - at)).toBeLessThan(60_000)
    expect(await scene.connection.nameOfPerson?.(ann.id, never)).toBe('ann')
    expect(await scene.connection.nameOfChat?.(channel, never)).toBe('ops')
    expect(escaped).toEqual([])
  })

  it('keep their thread, also of one that began before we listened', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const ann = discord.person('ann')
    const heard = ann.startsThread(channel, 'heard of')
    const unheard = ann.startsThread(channel, 'never heard of', true)
    ann.writes(channel, 'in the channel')
    ann.writes(heard, 'in one')
    ann.writes(unheard, 'in another')
    ann.writes(unheard, 'and again')
    await until(() => inbox.events.length === 4)
    expect(inbox.events).toMatchObject([
      { text: 'in the channel', chat: { id: channel, name: 'ops' }, thread: null },
      { text: 'in one', chat: { id: channel, name: 'ops' }, thread: heard },
      { text: 'in another', chat: { id: channel, name: 'ops' }, thread: unheard },
      { text: 'and again', chat: { id: channel, name: 'ops' }, thread: unheard },
    ])
    // Asked once, and only about what no event told.
    expect(discord.callsOf(/^GET \/channels\/\d+$/).map(({ call }) => call)).toEqual([`GET /channels/${unheard}`])
  })

  it('are not put into another chat while Discord cannot be asked about a thread', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const ann = discord.person('ann')
    const thread = ann.startsThread(channel, 'unknown', true)
    discord.fail({ call: /^GET \/channels\/\d+$/, status: 500, times: 2 })
    ann.writes(thread, 'hello')
    await until(() => inbox.events.length === 1)
    expect(inbox.events).toMatchObject([{ chat: { id: channel }, thread }])
  })

  it('say what they reply to, mention us by a reply, and bring files', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const ann = discord.person('ann')
    const ours = await sent(scene, outgoing(channel, 'a question'))
    ann.writes(channel, 'yes', { replyTo: ours, mentions: [discord.guild.bot.id] })
    ann.writes(ann.direct(), 'look', { files: { 'notes.txt': 'some notes' } })
    await until(() => inbox.events.length === 2)
    expect(inbox.events).toMatchObject([
      { replyTo: ours, text: 'yes', mentionsUs: true },
      { chat: { id: ann.direct(), name: null, isDirect: true, isGroup: false }, mentionsUs: false },
    ])
    const [file] = (inbox.events[1] as Extract<(typeof inbox.events)[number], { kind: 'message' }>).files
    expect(file).toMatchObject({ name: 'notes.txt', mime: 'text/plain', bytes: 10 })
    expect(await connection.fetchFile(file!, 100, never)).toEqual({ kind: 'file', bytes: Buffer.from('some notes') })
    expect(discord.callsOf(/^GET \/cdn/)).toMatchObject([{ authorization: '' }])
    expect(await connection.fetchFile(file!, 5, never)).toMatchObject({ kind: 'permanent' })
    expect(await connection.fetchFile({ ...file!, bytes: null }, 5, never)).toMatchObject({ kind: 'permanent' })
    expect(await connection.fetchFile({ ...file!, id: 'https://evil.test/x' }, 100, never)).toMatchObject({
      kind: 'permanent',
    })
    expect(await connection.fetchFile({ ...file!, id: `${file!.id.split('?')[0]}x` }, 100, never)).toMatchObject({
      kind: 'permanent',
    })
    discord.fail({ call: /^GET \/cdn/, status: 503 })
    expect(await connection.fetchFile(file!, 100, never)).toMatchObject({ kind: 'transient' })
    expect(escaped).toEqual([])
  })

  it('of bots, ourselves included, edits and other events are left out', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const ann = discord.person('ann')
    const { id } = ann.writes(channel, 'first')
    ann.edits(channel, id, 'second')
    await sent(scene, outgoing(channel, 'ours'))
    ann.writes(channel, 'of a webhook', { more: { webhook_id: '1' } })
    ann.writes(channel, 'of a bot', { more: { author: { id: '5', username: 'x', bot: true } } })
    ann.writes(channel, 'pinned something', { more: { type: 6 } })
    discord.emit('GUILD_DELETE', { id: '1' })
    ann.writes(channel, 'last')
    await until(() => inbox.events.length === 2)
    expect(texts(scene)).toEqual(['first', 'last'])
  })
})

describe('the place in the gateway', () => {
  it('is saved with each event, and after a restart nothing is missed and nothing begins again', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const ann = discord.person('ann')
    expect(inbox.cursor()).toMatchObject({ seq: 1 })
    ann.writes(channel, 'before')
    await until(() => inbox.events.length === 1)
    const saved = inbox.cursor()!
    expect(saved.seq).toBeGreaterThan(1)
    await connection[Symbol.asyncDispose]()
    expect(discord.gateway.closes).not.toContain(1000)
    ann.writes(channel, 'while we were away')
    await using again = connectAgain(scene, { cursor: inbox.cursor() })
    await connected(again)
    ann.writes(channel, 'after')
    await until(() => inbox.events.length === 3)
    expect(texts(scene)).toEqual(['before', 'while we were away', 'after'])
    expect(discord.gateway.identifies).toHaveLength(1)
    expect(discord.gateway.resumes).toMatchObject([{ session_id: saved.session_id, seq: saved.seq }])
  })

  it('moves only after the commit: what was not saved comes again, in order', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, log } = scene
    const ann = discord.person('ann')
    inbox.failNext(2)
    for (const text of ['one', 'two', 'three']) ann.writes(channel, text)
    await until(() => inbox.events.length === 3)
    expect(texts(scene)).toEqual(['one', 'two', 'three'])
    expect(discord.gateway.identifies).toHaveLength(1)
    expect(discord.gateway.resumes).toHaveLength(2)
    expect(log.lines.filter(({ message }) => message.startsWith('not saved'))).toHaveLength(2)
  })

  it('is not saved for every event that is not for us', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const before = inbox.marks()
    for (let count = 0; count < 250; count += 1) discord.emit('TYPING_START', { channel_id: channel })
    discord.person('ann').writes(channel, 'hello')
    await until(() => inbox.events.length === 1)
    expect(inbox.marks() - before).toBe(2)
    discord.emit('TYPING_START', { channel_id: channel })
    await until(() => discord.gateway.ready() === 1)
    const { seq } = inbox.cursor()!
    await connection[Symbol.asyncDispose]()
    expect(inbox.cursor()!.seq).toBeGreaterThanOrEqual(seq)
  })

  it('waits for a slow commit, which is finished when we stop', async () => {
    const scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const release = inbox.hold()
    const ann = discord.person('ann')
    ann.writes(channel, 'hello')
    ann.writes(channel, 'later')
    await until(() => inbox.deliveries.length === 1)
    const { seq } = inbox.cursor()!
    const stopped = connection[Symbol.asyncDispose]()
    release()
    await stopped
    expect(texts(scene)).toEqual(['hello'])
    expect(inbox.cursor()!.seq).toBeGreaterThan(seq)
    expect(connection.health()).toMatchObject({ state: 'stopped' })
    await using again = connectAgain(scene, { cursor: inbox.cursor() })
    await connected(again)
    expect(texts(scene)).toEqual(['hello', 'later'])
    await again[Symbol.asyncDispose]()
    await discord[Symbol.asyncDispose]()
  })
})

describe('clicks, commands and forms', () => {
  it('arrive with what answers them', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const ann = discord.person('ann')
    const messageId = await sendCard(scene)
    const { interaction } = ann.clicks(channel, messageId, 'Approve')
    const click = await inbox.first('click')
    expect(click).toMatchObject({
      key: `click:${interaction.id}`,
      chat: { id: channel, name: 'ops' },
      thread: null,
      messageId,
      sender: { handle: ann.id, identity: `discord:${ann.id}`, name: 'ann' },
      action: 'a:1:approve',
    })
    const form = { action: 'a:1:reject', title: 'Reject', label: 'Why?', submit: 'Reject' }
    const opened = await connection.openForm?.(form, { chat: channel, thread: null, messageId }, click.reply)
    expect(opened).toEqual({ kind: 'opened' })
    expect(interaction.response).toMatchObject({ type: 9, data: { title: 'Reject' } })
    expect(await ann.submits(interaction, 'not yet').acked).toBe(6)
    expect(await inbox.first('form')).toMatchObject({
      chat: { id: channel },
      messageId,
      action: 'a:1:reject',
      text: 'not yet',
      sender: { handle: ann.id },
    })
    const command = ann.commands(channel, 'start fix the tests')
    expect(await command.acked).toBe(5)
    expect(command.interaction.response).toEqual({ type: 5, data: { flags: 64 } })
    expect(await inbox.first('command')).toMatchObject({
      chat: { id: channel, name: 'ops' },
      text: 'start fix the tests',
    })
    await ann.commands(ann.direct(), null).acked
    expect(inbox.events.at(-1)).toMatchObject({ kind: 'command', text: '', chat: { isDirect: true } })
  })

  it('in a thread belong to the channel above it', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const ann = discord.person('ann')
    const thread = ann.startsThread(channel, 'work')
    const messageId = await sendCard(scene, thread)
    ann.clicks(thread, messageId, 'Approve')
    expect(await inbox.first('click')).toMatchObject({ chat: { id: channel, name: 'ops' }, thread, messageId })
  })

  it('are acknowledged after the commit, and within three seconds', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel, connection } = scene
    const ann = discord.person('ann')
    const messageId = await sendCard(scene)
    const release = inbox.hold()
    const { interaction, acked } = ann.clicks(channel, messageId, 'Approve')
    await until(() => inbox.deliveries.length === 1)
    expect(interaction.response).toBeUndefined()
    release()
    expect(await acked).toBe(6)
    expect(interaction.respondedMs).toBeLessThan(3000)
    // Too late for a form: ask for a reply as text.
    const { reply } = await inbox.first('click')
    const form = { action: 'a:1:reject', title: 'Reject', label: 'Why?', submit: 'Reject' }
    expect(await connection.openForm?.(form, { chat: channel, thread: null, messageId }, reply)).toMatchObject({
      kind: 'permanent',
    })
  })

  it('are acknowledged at once when we stop', async () => {
    const clock = fakeClock()
    const scene = await openScene({ clock })
    const { discord, inbox, channel, connection } = scene
    const { interaction } = discord.person('ann').commands(channel, 'help')
    await inbox.first('command')
    expect(interaction.response).toBeUndefined()
    await connection[Symbol.asyncDispose]()
    expect(interaction.response).toMatchObject({ type: 5 })
    await discord[Symbol.asyncDispose]()
  })

  it('that were not saved get no acknowledgement until they come again', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    inbox.failNext(1)
    const { acked } = discord.person('ann').commands(channel, 'help')
    expect(await acked).toBe(5)
    expect(inbox.deliveries).toHaveLength(2)
    expect(inbox.events).toHaveLength(1)
  })

  it('the command is registered once', async () => {
    await using scene = await openScene()
    const { discord } = scene
    await until(() => discord.commands.length === 1)
    expect(discord.commands).toMatchObject([{ name: 'signalbox', options: [{ name: 'text', type: 3 }] }])
    await using again = connectAgain(scene)
    await connected(again)
    await until(() => discord.callsOf(/^GET .*\/commands$/).length === 2)
    await again[Symbol.asyncDispose]()
    expect(discord.callsOf(/^PUT .*\/commands$/)).toHaveLength(1)
  })
})

async function sendCard(scene: Scene, thread: string | null = null): Promise<string> {
  const buttons = [{ action: 'a:1:approve', label: 'Approve', style: 'primary' as const }]
  const card = { title: 'Run tests?', tone: 'waiting' as const, lines: [], buttons, footer: null, mention: null }
  return sent(scene, outgoing(scene.channel, { kind: 'card', card }, { thread }))
}

describe('hostile frames', () => {
  const message = { id: '5', channel_id: '6', author: { id: '7' }, content: 'x' }
  const click = { id: '5', token: 't', type: 3, channel_id: '6', user: { id: '7' }, message: { id: '8' } }

  it.each([
    ['no data', 'MESSAGE_CREATE', undefined],
    ['an array', 'MESSAGE_CREATE', []],
    ['a number as text', 'MESSAGE_CREATE', { ...message, content: 5 }],
    ['no author', 'MESSAGE_CREATE', { ...message, author: undefined }],
    ['an id that is not one', 'MESSAGE_CREATE', { ...message, id: '../../etc' }],
    ['a huge text', 'MESSAGE_CREATE', { ...message, content: 'x'.repeat(300_000) }],
    ['a channel that is a path', 'MESSAGE_CREATE', { ...message, channel_id: '1/../2', guild_id: '1' }],
    ['thousands of files', 'MESSAGE_CREATE', { ...message, attachments: Array.from({ length: 5000 }, () => ({})) }],
    ['no type', 'INTERACTION_CREATE', { id: '5' }],
    ['no action', 'INTERACTION_CREATE', { ...click, data: {} }],
    ['nobody', 'INTERACTION_CREATE', { ...click, user: undefined, data: { custom_id: '0:x' } }],
    ['a huge token', 'INTERACTION_CREATE', { ...click, token: 'x'.repeat(5000), data: { custom_id: '0:x' } }],
    ['a form without a message', 'INTERACTION_CREATE', { ...click, type: 5, data: { custom_id: 'form:x' } }],
  ])('with %s are logged and left out', async (_what, type, data) => {
    await using scene = await openScene()
    const { discord, inbox, log, channel } = scene
    discord.emit(type, data)
    discord.person('ann').writes(channel, 'still there')
    await until(() => inbox.events.length === 1)
    expect(texts(scene)).toEqual(['still there'])
    expect(log.lines.filter(({ message: said }) => said.includes('unknown format'))).toHaveLength(1)
    expect(discord.gateway.opened()).toBe(1)
  })

  it('that are not JSON, too deep, or of unknown kind do no harm', async () => {
    await using scene = await openScene()
    const { discord, inbox, channel } = scene
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const strange = [{ op: 99 }, { op: '0' }, { op: 0, t: 'X' }, { op: 0, s: 4, d: {} }, { op: 11, d: { a: 1 } }]
    for (const frame of ['not json', '{', 'null', deep, ...strange]) discord.gateway.raw(frame)
    for (const data of [null, { channels: 5 }, { channels: [{ id: 'x' }, null, 5] }]) discord.emit('GUILD_CREATE', data)
    discord.person('ann').writes(channel, 'still there')
    await until(() => inbox.events.length === 1)
    expect(discord.gateway.opened()).toBe(1)
  })
})
