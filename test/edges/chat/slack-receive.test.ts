import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { connectSlack } from '../../../src/edges/chat/slack/connect.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { createInbox, createTestLog, never, openScene, outgoing, type Scene } from './slack-harness.ts'

describe('messages from Slack', () => {
  it('arrive once, without our own mention, although a mention comes as two events', async () => {
    await using scene = await openScene({ retryMs: [] })
    const { slack, inbox, channel } = scene
    const ann = slack.person('ann')
    const { ts, acked } = ann.writes(channel, `<@${slack.botUser}> look at a &lt;b&gt; &amp; <https://x.test|x.test>`)
    expect(await acked).toEqual([200, 200])
    expect(inbox.deliveries).toEqual([`${channel}:${ts}`, `${channel}:${ts}`])
    expect(inbox.events).toEqual([
      {
        kind: 'message',
        key: `${channel}:${ts}`,
        chat: { id: channel, name: null, isGroup: true, isDirect: false },
        thread: null,
        messageId: ts,
        sender: { handle: ann.id, identity: `slack:${ann.id}`, name: null, isBot: false },
        text: 'look at a <b> & x.test (https://x.test)',
        mentionsUs: true,
        files: [],
        replyTo: null,
        at: new Date(Math.floor(Number(ts) * 1000)).toISOString(),
      },
    ])
    expect(await scene.connection.nameOfPerson?.(ann.id, never)).toBe('ann')
    expect(await scene.connection.nameOfChat?.(channel, never)).toBe('ops')
    expect(escaped).toEqual([])
  })

  it('keep their thread, their files and their order', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel, connection } = scene
    const ann = slack.person('ann')
    const root = ann.writes(channel, 'root')
    const rest = Array.from({ length: 30 }, (_, index) => ann.writes(channel, `reply ${index}`, { thread: root.ts }))
    const last = ann.writes(ann.direct(), 'with a file', { files: { 'notes.txt': 'some notes' } })
    await Promise.all([root, ...rest, last].map(({ acked }) => acked))
    const messages = inbox.events.flatMap((event) => (event.kind === 'message' ? [event] : []))
    const inChannel = messages.filter(({ chat }) => chat.id === channel)
    expect(inChannel.map(({ text }) => text)).toEqual(['root', ...rest.map((_, index) => `reply ${index}`)])
    expect(inChannel.map(({ thread }) => thread)).toEqual([null, ...rest.map(() => root.ts)])
    const direct = messages.find(({ chat }) => chat.isDirect)
    expect(direct?.files).toEqual([expect.objectContaining({ name: 'notes.txt', mime: 'text/plain', bytes: 10 })])
    const file = direct!.files[0]!
    expect(await connection.fetchFile(file, 100, never)).toEqual({ kind: 'file', bytes: Buffer.from('some notes') })
    expect(await connection.fetchFile(file, 5, never)).toMatchObject({ kind: 'permanent' })
    expect(await connection.fetchFile({ ...file, bytes: null }, 5, never)).toMatchObject({ kind: 'permanent' })
    // Slack's login page is not the file.
    slack.fail({ method: 'files', status: 302 })
    expect(await connection.fetchFile(file, 100, never)).toMatchObject({ kind: 'transient' })
  })

  it('of one chat are saved one after another, and do not wait for another chat', async () => {
    await using scene = await openScene({ retryMs: [] })
    const { slack, inbox, channel } = scene
    const ann = slack.person('ann')
    const release = inbox.hold()
    const [first, second] = [ann.writes(channel, 'first'), ann.writes(channel, 'second')]
    const other = ann.writes(ann.direct(), 'elsewhere')
    await until(() => inbox.deliveries.length === 2)
    expect(inbox.deliveries).toEqual([`${channel}:${first.ts}`, `${ann.direct()}:${other.ts}`])
    release()
    await Promise.all([first.acked, second.acked, other.acked])
    expect(inbox.deliveries).toHaveLength(3)
  })

  it('of bots, ourselves included, edits and other events are acknowledged and left out', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel } = scene
    const ann = slack.person('ann')
    const written = ann.writes(channel, 'first')
    const inner = { type: 'message', channel, channel_type: 'channel', ts: '1700000000.000100', text: 'hello' }
    const done = await Promise.all([
      ann.edits(channel, written.ts, 'second').acked,
      slack.emit({ ...inner, user: 'U9', bot_id: 'B9' }).acked,
      slack.emit({ ...inner, user: slack.botUser }).acked,
      slack.emit({ ...inner, subtype: 'channel_join', user: 'U9' }).acked,
      slack.emit({ type: 'reaction_added', user: 'U9' }).acked,
      slack.emit({ type: 'member_joined_channel', user: 'U9', channel }).acked,
    ])
    expect(done).toEqual([200, 200, 200, 200, 200, 200])
    expect(inbox.events.map((event) => event.kind === 'message' && event.text)).toEqual(['first'])
  })

  it('tell when we are added to a chat and removed from it', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel } = scene
    const { id } = slack.person('ann')
    await slack.emit({ type: 'member_joined_channel', user: slack.botUser, channel, inviter: id }).acked
    await slack.emit({ type: 'channel_left', channel }).acked
    expect(inbox.events).toMatchObject([
      { kind: 'joined', chat: { id: channel }, by: { handle: id } },
      { kind: 'left', chat: { id: channel } },
    ])
  })
})

describe('an acknowledgement', () => {
  it('follows the commit, and never a failed one: Slack sends the event again', async () => {
    await using scene = await openScene({ retryMs: [20, 40, 80, 160] })
    const { slack, inbox, channel, log } = scene
    inbox.failNext(2)
    const { ts, acked } = slack.person('ann').writes(channel, 'hello')
    expect(await acked).toEqual([200])
    expect(inbox.deliveries.length).toBeGreaterThanOrEqual(3)
    expect(new Set(inbox.deliveries)).toEqual(new Set([`${channel}:${ts}`]))
    expect(inbox.events).toHaveLength(1)
    expect(log.lines.filter(({ message }) => message === 'not saved, so not acknowledged')).toHaveLength(2)
  })

  it('waits for a slow commit', async () => {
    await using scene = await openScene({ retryMs: [] })
    const { slack, inbox, channel } = scene
    const release = inbox.hold()
    const { acked } = slack.person('ann').writes(channel, 'hello')
    await until(() => inbox.deliveries.length === 1)
    expect(slack.sockets.acks).toEqual([])
    release()
    expect(await acked).toEqual([200])
  })

  it('that is lost with its connection leads to a second delivery, which counts once', async () => {
    await using scene = await openScene({ retryMs: [200, 400, 800] })
    const { slack, inbox, channel } = scene
    const release = inbox.hold()
    const { acked } = slack.person('ann').writes(channel, 'hello')
    await until(() => inbox.deliveries.length === 1)
    slack.sockets.drop()
    await until(() => slack.sockets.ready() === 0)
    release()
    expect(await acked).toEqual([200])
    expect(inbox.deliveries.length).toBeGreaterThanOrEqual(2)
    expect(inbox.events).toHaveLength(1)
  })

  it('of what is being saved still goes out when we stop', async () => {
    const scene = await openScene({ retryMs: [] })
    const { slack, inbox, channel, connection } = scene
    const release = inbox.hold()
    const { acked } = slack.person('ann').writes(channel, 'hello')
    await until(() => inbox.deliveries.length === 1)
    const stopped = connection[Symbol.asyncDispose]()
    release()
    await stopped
    expect(await acked).toEqual([200])
    expect(connection.health()).toMatchObject({ state: 'stopped' })
    await slack[Symbol.asyncDispose]()
  })
})

describe('the connection', () => {
  it('is replaced before Slack closes it, without a gap', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel } = scene
    const ann = slack.person('ann')
    const before = ann.writes(channel, 'before')
    slack.sockets.disconnect('refresh_requested')
    const during = ann.writes(channel, 'during')
    await slack.connected(2)
    expect(scene.connection.health().state).toBe('connected')
    slack.sockets.closeOldest()
    const after = ann.writes(channel, 'after')
    await Promise.all([before.acked, during.acked, after.acked])
    expect(inbox.events.map((event) => event.kind === 'message' && event.text)).toEqual(['before', 'during', 'after'])
    expect(scene.log.lines.filter(({ fields }) => fields['state'] === 'reconnecting')).toEqual([])
    expect(slack.sockets.opened()).toBe(2)
  })

  it('comes back in milliseconds after it broke, and takes what waited', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel, connection } = scene
    slack.sockets.drop()
    await until(() => connection.health().state === 'reconnecting' || slack.sockets.opened() === 2)
    const { acked } = slack.person('ann').writes(channel, 'hello')
    expect(await acked).toEqual([200])
    expect(inbox.events).toHaveLength(1)
    await until(() => connection.health().state === 'connected')
  })

  it('is tried again while Slack answers 5xx, 429 or nothing', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { slack, connection } = scene
    slack.fail({ method: 'apps.connections.open', status: 503 })
    slack.fail({ method: 'apps.connections.open', drop: 'before' })
    slack.fail({ method: 'apps.connections.open', status: 429, retryAfter: 40 })
    slack.sockets.drop()
    const tried = (times: number) => until(() => slack.callsOf('apps.connections.open').length === times)
    await tried(2)
    await until(() => connection.health().error?.includes('503'))
    expect(connection.health().state).toBe('reconnecting')
    await until(() => clock.timers().length > 0)
    clock.advance(1000)
    await tried(3)
    await until(() => clock.timers().length > 0)
    clock.advance(1000)
    await tried(4)
    await until(() => connection.health().error?.includes('429'))
    await until(() => clock.timers().length > 0)
    expect(clock.timers()).toEqual([clock.now() + 40_000])
    clock.advance(40_000)
    await tried(5)
    await until(() => connection.health().state === 'connected')
  })

  it('that has gone silent is given up', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { slack, connection } = scene
    slack.sockets.freeze()
    // Not a moment longer: the next connection has a limit for its greeting.
    clock.advance(30_000)
    await until(() => slack.sockets.opened() === 2)
    await until(() => connection.health().state === 'connected')
    expect(slack.callsOf('apps.connections.open')).toHaveLength(2)
  })

  it('is refused for good if a token is not valid or Socket Mode is turned off', async () => {
    await using scene = await openScene()
    scene.slack.sockets.disconnect('link_disabled')
    await until(() => scene.connection.health().state === 'refused')
    expect(scene.connection.health().error).toBe('Socket Mode is turned off for this app')
    await until(() => scene.slack.sockets.ready() === 0)

    await using second = await openScene()
    second.slack.revoked.add(second.slack.tokens.app)
    second.slack.sockets.drop()
    await until(() => second.connection.health().state === 'refused')
    expect(second.connection.health().error).toContain('invalid_auth')
    expect(second.slack.callsOf('apps.connections.open')).toHaveLength(2)
  })

  it('stops at once while it is being opened', async () => {
    const answer = Promise.withResolvers<void>()
    await using scene = await openScene({ connects: false })
    scene.slack.fail({ method: 'apps.connections.open', hold: answer.promise, times: 5 })
    await until(() => scene.slack.callsOf('apps.connections.open').length > 0)
    await scene.connection[Symbol.asyncDispose]()
    expect(scene.connection.health().state).toBe('stopped')
    answer.resolve()
  })
})

describe('clicks, commands and forms', () => {
  it('arrive with what answers them', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel, connection } = scene
    const ann = slack.person('ann')
    const { thread, messageId } = await sendCard(scene)
    await ann.clicks(channel, messageId, 'a:1:approve').acked
    const click = await inbox.first('click')
    expect(click).toMatchObject({
      chat: { id: channel, name: 'ops' },
      thread,
      messageId,
      sender: { handle: ann.id, identity: `slack:${ann.id}`, name: 'ann' },
      action: 'a:1:approve',
    })
    await ann.commands(channel, 'start fix the &lt;tests&gt;').acked
    const command = await inbox.first('command')
    expect(command).toMatchObject({ chat: { id: channel, name: 'ops' }, text: 'start fix the <tests>', thread: null })
    expect(click.key).not.toBe(command.key)
    const form = { action: 'a:1:reject', title: 'Reject', label: 'Why?', submit: 'Reject' }
    expect(await connection.openForm?.(form, { chat: channel, thread: null, messageId }, click.reply)).toEqual({
      kind: 'opened',
    })
    await ann.submits(slack.views[0]!.id, 'not yet').acked
    expect(await inbox.first('form')).toMatchObject({
      chat: { id: channel },
      messageId,
      action: 'a:1:reject',
      text: 'not yet',
      sender: { handle: ann.id },
    })
  })

  it('a form in a thread is not even tried, because Slack would show nothing', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel, connection } = scene
    const ann = slack.person('ann')
    const root = ann.writes(channel, 'root')
    const { messageId } = await sendCard(scene, root.ts)
    await ann.clicks(channel, messageId, 'a:1:approve').acked
    const { thread, reply } = await inbox.first('click')
    expect(thread).toBe(root.ts)
    const form = { action: 'a:1:reject', title: 'Reject', label: 'Why?', submit: 'Reject' }
    expect(await connection.openForm?.(form, { chat: channel, thread, messageId }, reply)).toMatchObject({
      kind: 'permanent',
    })
    expect(slack.views).toEqual([])
  })
})

async function sendCard({ connection, channel }: Scene, thread: string | null = null) {
  const buttons = [{ action: 'a:1:approve', label: 'Approve', style: 'primary' as const }]
  const card = { title: 'Run tests?', tone: 'waiting' as const, lines: [], buttons, footer: null, mention: null }
  const sent = await connection.send(outgoing(channel, { kind: 'card', card }, { thread }), never)
  if (sent.kind !== 'sent') throw new Error(sent.error)
  return { thread, messageId: sent.messageId }
}

describe('hostile frames', () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  const event = (inner: unknown) => ({ type: 'event_callback', event_id: 'Ev1', event: inner })
  const message = { type: 'message', channel: 'C1', user: 'U1', ts: '1.1', text: 'x' }

  it.each([
    ['no payload', undefined],
    ['an array', []],
    ['a number as text', event({ ...message, text: 5 })],
    ['no channel', event({ ...message, channel: undefined })],
    ['a time that is not one', event({ ...message, ts: '../../etc' })],
    ['a huge text', event({ ...message, text: 'x'.repeat(300_000) })],
    ['a huge name of a user', event({ ...message, user: 'U'.repeat(5000) })],
    ['thousands of files', event({ ...message, files: Array.from({ length: 5000 }, (_, id) => ({ id: `F${id}` })) })],
    ['a subtype that is an object', event({ ...message, subtype: { a: 1 } })],
    ['a prototype', event({ ...message, __proto__: null, constructor: 'x', text: { toString: 1 } })],
    ['a time beyond all calendars', { ...event({ type: 'channel_left', channel: 'C1' }), event_time: 'x' }],
  ])('with %s are acknowledged, logged and left out', async (_what, payload) => {
    await using scene = await openScene({ retryMs: [] })
    const { slack, inbox, log } = scene
    expect(await slack.deliver('events_api', payload as never).acked).toBe(200)
    expect(await slack.deliver('interactive', payload as never).acked).toBe(200)
    expect(await slack.deliver('slash_commands', payload as never).acked).toBe(200)
    expect(inbox.deliveries).toEqual([])
    expect(log.lines.filter(({ message: said }) => said.includes('unknown format')).length).toBeGreaterThan(0)
    expect(scene.connection.health().state).toBe('connected')
  })

  it('that are not JSON, too deep or without an id do no harm', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel } = scene
    for (const frame of ['not json', '{', 'null', deep, { type: 'events_api' }, { type: 5 }, { type: 'goodbye' }])
      slack.sockets.raw(frame)
    const { acked } = slack.person('ann').writes(channel, 'still there')
    expect(await acked).toEqual([200])
    expect(inbox.events).toHaveLength(1)
    expect(slack.sockets.opened()).toBe(1)
  })

  it('that are larger than any of Slack end the connection, not the process', async () => {
    await using scene = await openScene()
    const { slack, inbox, channel } = scene
    slack.sockets.raw(`"${'x'.repeat(5_000_000)}"`)
    await until(() => slack.sockets.opened() === 2)
    const { acked } = slack.person('ann').writes(channel, 'still there')
    expect(await acked).toEqual([200])
    expect(inbox.events).toHaveLength(1)
  })
})

it('a workspace that names a foreign address is not followed', async () => {
  const server = createServer((_request, response) => {
    const answer = { ok: true, url: 'wss://wss.evil.test/link', user_id: 'U0BOT', team_id: 'T1' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connection = connectSlack({
    instance: { id: 'i', name: 'slack' },
    credentials: { bot_token: 'xoxb-1', app_token: 'xapp-1' },
    endpoints: { api: `http://127.0.0.1:${port}/api/` },
    receiver: createInbox(),
    clock: fakeClock(),
    log: createTestLog(),
  })
  await until(() => connection.health().error?.includes('not its own'))
  expect(escaped).toEqual([])
  await connection[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})
