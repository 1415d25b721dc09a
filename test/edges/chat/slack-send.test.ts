import { describe, expect, it } from 'vitest'
import type { Card, Outgoing } from '../../../src/edges/chat/adapter.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { never, openScene, outgoing, type Scene } from './slack-harness.ts'

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
/** As long ago as it takes Slack to show a message in its history. */
const aWhileAgo = () => Date.now() - 10_000

async function sent({ connection }: Scene, message: Outgoing): Promise<string> {
  const result = await connection.send(message, never)
  if (result.kind !== 'sent') throw new Error(result.error)
  return result.messageId
}

describe('a message to Slack', () => {
  it('arrives in its thread with its key, and unfurls nothing', async () => {
    await using scene = await openScene()
    const { slack, channel } = scene
    const root = await sent(scene, outgoing(channel, 'root'))
    const reply = outgoing(channel, 'see https://x.test', { thread: root })
    const ts = await sent(scene, reply)
    expect(slack.thread(channel, root)).toMatchObject([
      { ts, text: 'see https://x.test', metadata: { event_payload: { key: reply.key } } },
    ])
    expect(slack.callsOf('chat.postMessage')[1]?.args).toMatchObject({
      unfurl_links: false,
      unfurl_media: false,
      link_names: false,
    })
    expect(escaped).toEqual([])
  })

  it('is edited as a whole: no old button stays', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const messageId = await sent(scene, outgoing(channel, { kind: 'card', card: card() }))
    const place = { chat: channel, thread: null, messageId }
    const answered = card({ tone: 'good', title: 'Approved by ann', buttons: [], lines: [] })
    const edited = await connection.edit(place, outgoing(channel, { kind: 'card', card: answered }), never)
    expect(edited).toEqual({ kind: 'sent', messageId })
    const [message] = slack.messages(channel)
    expect(message?.blocks?.map(({ type }) => type)).toEqual(['section', 'context'])
    await connection.edit(place, outgoing(channel, 'only text'), never)
    expect(slack.messages(channel)).toMatchObject([{ text: 'only text', blocks: [] }])
  })

  it('gets a reaction once, by the name Slack knows', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const messageId = await sent(scene, outgoing(channel, 'hello'))
    const place = { chat: channel, thread: null, messageId }
    for (const emoji of ['✅', '✅', '▶️'])
      expect(await connection.react(place, emoji, never)).toEqual({ kind: 'sent', messageId })
    expect(slack.messages(channel)[0]?.reactions?.map(({ name }) => name)).toEqual([
      'white_check_mark',
      'arrow_forward',
    ])
    expect(await connection.react(place, '🦩', never)).toMatchObject({ kind: 'permanent' })
  })
})

describe('what a failure means', () => {
  it.each([
    [
      { status: 429, retryAfter: 7 },
      { kind: 'rate_limited', retryAfterMs: 7000 },
    ],
    [{ error: 'ratelimited' }, { kind: 'rate_limited' }],
    [{ status: 500 }, { kind: 'unsure' }],
    [{ status: 503 }, { kind: 'unsure' }],
    [{ error: 'internal_error' }, { kind: 'unsure' }],
    [{ error: 'fatal_error' }, { kind: 'unsure' }],
    [{ drop: 'before' }, { kind: 'unsure' }],
    [{ drop: 'after' }, { kind: 'unsure' }],
    [{ status: 404 }, { kind: 'permanent' }],
    [{ status: 302 }, { kind: 'unsure' }],
    [{ error: 'msg_too_long' }, { kind: 'permanent', error: 'Slack answered msg_too_long to chat.postMessage' }],
    [{ error: 'something_new' }, { kind: 'permanent' }],
    [{ error: 'is_archived' }, { kind: 'gone' }],
    [{ error: 'token_revoked' }, { kind: 'refused' }],
  ] as const)('%j', async (fault, expected) => {
    await using scene = await openScene()
    scene.slack.fail({ method: 'chat.postMessage', ...fault })
    expect(await scene.connection.send(outgoing(scene.channel, 'hello'), never)).toMatchObject(expected)
    // It was never tried twice.
    expect(scene.slack.callsOf('chat.postMessage')).toHaveLength(1)
  })

  it('real limits and rights: too long, blocks, not in the channel, unknown, a missing scope', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const raw = (body: Outgoing['rendered']['body'], chat = channel) =>
      connection.send({ ...outgoing(chat, 'x'), rendered: { body, file: null } }, never)
    expect(await raw({ text: 'x'.repeat(40_001), blocks: [] })).toMatchObject({ kind: 'permanent' })
    const big = { type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }
    expect(await raw({ text: 'x', blocks: [big] })).toMatchObject({ error: expect.stringContaining('invalid_blocks') })
    expect(await raw({ wrong: true })).toMatchObject({ kind: 'permanent' })
    const private_ = slack.channel('private', 'group', [])
    expect(await raw({ text: 'x', blocks: [] }, private_)).toMatchObject({ kind: 'gone' })
    expect(await raw({ text: 'x', blocks: [] }, slack.channel('public', 'channel', []))).toMatchObject({ kind: 'gone' })
    slack.scopes.delete('chat:write')
    expect(await raw({ text: 'x', blocks: [] })).toMatchObject({
      kind: 'permanent',
      error: 'Slack answered missing_scope (chat:write) to chat.postMessage',
    })
  })

  it('a server that is not there: it did not arrive', async () => {
    const scene = await openScene({ byHttp: true })
    await scene.slack[Symbol.asyncDispose]()
    expect(await scene.connection.send(outgoing(scene.channel, 'hello'), never)).toMatchObject({ kind: 'transient' })
    await scene.connection[Symbol.asyncDispose]()
  })

  it('a call that is stopped: it may have arrived', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const answer = Promise.withResolvers<void>()
    slack.fail({ method: 'chat.postMessage', hold: answer.promise })
    const stop = new AbortController()
    const sending = connection.send(outgoing(channel, 'hello'), stop.signal)
    await until(() => slack.messages(channel).length === 1)
    stop.abort()
    expect(await sending).toMatchObject({ kind: 'unsure' })
    answer.resolve()
  })

  it('a revoked token is seen in the health, and stays there', async () => {
    await using scene = await openScene()
    scene.slack.revoked.add(scene.slack.tokens.bot)
    expect(await scene.connection.send(outgoing(scene.channel, 'hello'), never)).toMatchObject({ kind: 'refused' })
    expect(scene.connection.health()).toMatchObject({
      state: 'refused',
      error: expect.stringContaining('token_revoked'),
    })
    scene.slack.sockets.drop()
    await until(() => scene.slack.sockets.opened() === 2)
    expect(scene.connection.health().state).toBe('refused')
  })
})

describe('a message in doubt', () => {
  /** Looks first, as the sender does. */
  async function sendAgain({ connection }: Scene, message: Outgoing, after: string | null): Promise<string> {
    const found = await connection.find(message, { after, since: aWhileAgo() }, never)
    if (found.kind === 'found') return found.messageId
    expect(found.kind).toBe('absent')
    const result = await connection.send(message, never)
    if (result.kind !== 'sent') throw new Error(result.error)
    return result.messageId
  }

  it.each(['thread', 'channel'])('is found in a %s, and not sent twice', async (where) => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const root = await sent(scene, outgoing(channel, 'root'))
    const thread = where === 'thread' ? root : null
    for (const [index, fault] of [{ drop: 'after' }, { drop: 'before' }, { status: 502 }].entries()) {
      const message = outgoing(channel, `message ${index}`, { thread })
      slack.fail({ method: 'chat.postMessage', ...(fault as object) })
      expect(await connection.send(message, never)).toMatchObject({ kind: 'unsure' })
      // Others write in between.
      slack.person(`person ${index}`).writes(channel, `message ${index}`, thread ? { thread } : {})
      await sendAgain(scene, message, root)
    }
    const ours = slack.messages(channel).filter(({ bot_id }) => bot_id)
    expect(ours.map(({ text }) => text)).toEqual(['root', 'message 0', 'message 1', 'message 2'])
  })

  it('is found without an earlier message, far back, over many pages', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const message = outgoing(channel, 'the first')
    slack.fail({ method: 'chat.postMessage', drop: 'after' })
    await connection.send(message, never)
    const { workspace } = slack
    for (let count = 0; count < 450; count += 1)
      workspace.add(workspace.channels.get(channel)!, {
        type: 'message',
        ts: workspace.nextTs(),
        user: 'U1',
        text: 'x',
      })
    const messageId = slack.messages(channel)[0]!.ts
    const found = await connection.find(message, { after: null, since: aWhileAgo() }, never)
    expect(found).toEqual({ kind: 'found', messageId })
    expect(slack.callsOf('conversations.history')).toHaveLength(3)
  })

  it('is not called absent if Slack cannot be asked, or hides the key', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const where = { after: null, since: aWhileAgo() }
    slack.fail({ method: 'conversations.history', status: 429, retryAfter: 3 })
    slack.fail({ method: 'conversations.history', status: 500 })
    slack.fail({ method: 'conversations.history', error: 'missing_scope' })
    const find = () => connection.find(outgoing(channel, 'x'), where, never)
    expect(await find()).toMatchObject({ kind: 'rate_limited', retryAfterMs: 3000 })
    expect(await find()).toMatchObject({ kind: 'transient' })
    expect(await find()).toMatchObject({ kind: 'permanent' })

    const second = await openScene({ connects: false })
    await using _second = second
    second.slack.scopes.delete('metadata.message:read')
    await until(() => second.connection.health().state === 'connected')
    const other = await second.connection.find(outgoing(second.channel, 'x'), where, never)
    expect(other).toMatchObject({ kind: 'unknown' })
  })

  it('is looked for only when the history is up to date', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { slack, channel, connection } = scene
    const found = connection.find(outgoing(channel, 'x'), { after: null, since: clock.now() }, never)
    const due = clock.now() + 2000
    await until(() => clock.timers().includes(due))
    clock.advance(1999)
    expect(slack.callsOf('conversations.history')).toEqual([])
    clock.advance(1)
    expect(await found).toEqual({ kind: 'absent' })
  })
})

describe('a file', () => {
  const file = (text: string | null) => ({
    kind: 'file' as const,
    name: '../a\nb.txt',
    bytes: Buffer.from('hello'),
    text,
  })

  it('is uploaded first, then shared by one call', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const root = await sent(scene, outgoing(channel, 'root'))
    const message = outgoing(channel, file('**look** <!channel>'), { thread: root })
    const prepared = await connection.prepare!(message, never)
    if (prepared.kind !== 'prepared') throw new Error(prepared.error)
    expect(slack.thread(channel, root)).toEqual([])
    const messageId = await sent(scene, { ...message, prepared: prepared.prepared })
    expect(slack.thread(channel, root)).toMatchObject([
      { ts: messageId, text: '*look* &lt;!channel&gt;', files: [{ id: prepared.prepared, name: '.._a_b.txt' }] },
    ])
    expect(slack.workspace.files.get(prepared.prepared)?.bytes.toString()).toBe('hello')
  })

  it('in doubt is found by its id, and not shared twice', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const prepare = async (message: Outgoing) => {
      const prepared = await connection.prepare!(message, never)
      return { ...message, prepared: prepared.kind === 'prepared' ? prepared.prepared : null }
    }
    const message = await prepare(outgoing(channel, file(null)))
    slack.fail({ method: 'files.completeUploadExternal', drop: 'after' })
    expect(await connection.send(message, never)).toMatchObject({ kind: 'unsure' })
    const where = { after: null, since: aWhileAgo() }
    const found = await connection.find(message, where, never)
    expect(found).toEqual({ kind: 'found', messageId: slack.messages(channel)[0]!.ts })

    const lost = await prepare(outgoing(channel, file(null)))
    slack.fail({ method: 'files.completeUploadExternal', drop: 'before' })
    expect(await connection.send(lost, never)).toMatchObject({ kind: 'unsure' })
    expect(await connection.find(lost, where, never)).toEqual({ kind: 'absent' })
    await sent(scene, await prepare(lost))
    expect(slack.messages(channel)).toHaveLength(2)
  })

  it('that cannot be uploaded is tried again; one that was not uploaded is never shared', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const message = outgoing(channel, file(null))
    slack.fail({ method: 'upload', drop: 'before' })
    expect(await connection.prepare!(message, never)).toMatchObject({ kind: 'transient' })
    slack.fail({ method: 'files.getUploadURLExternal', status: 500 })
    expect(await connection.prepare!(message, never)).toMatchObject({ kind: 'transient' })
    expect(await connection.send(message, never)).toMatchObject({ kind: 'permanent' })
  })
})

describe('what only one person sees', () => {
  const text = { kind: 'text' as const, text: 'only the owner may answer' }

  it('is ephemeral in the thread it is about', async () => {
    await using scene = await openScene()
    const { slack, channel, connection } = scene
    const ann = slack.person('ann')
    const { ts } = ann.writes(channel, 'root')
    expect(await connection.privately({ chat: channel, thread: ts, handle: ann.id }, text)).toMatchObject({
      kind: 'sent',
    })
    expect(slack.ephemerals).toMatchObject([{ channel, user: ann.id, thread_ts: ts, text: text.text }])
    expect(slack.messages(channel)).toHaveLength(1)
  })

  it('answers a command in a channel that we are not in, else it is a direct message', async () => {
    await using scene = await openScene()
    const { slack, inbox, connection } = scene
    const ann = slack.person('ann')
    const elsewhere = slack.channel('elsewhere', 'group', [ann.id])
    await ann.commands(elsewhere, 'sessions').acked
    const { reply } = await inbox.first('command')
    const to = { chat: elsewhere, thread: null, handle: ann.id }
    expect(await connection.privately({ ...to, reply }, text)).toMatchObject({ kind: 'sent' })
    expect(slack.responses).toMatchObject([{ body: { response_type: 'ephemeral', text: text.text } }])
    expect(await connection.privately(to, text)).toMatchObject({ kind: 'sent' })
    expect(slack.messages(ann.direct())).toMatchObject([{ text: text.text }])
    // A stored reply that names another machine is not used.
    const forged = JSON.stringify({ url: 'https://hooks.evil.test/x', trigger: null })
    expect(await connection.privately({ ...to, reply: forged }, text)).toMatchObject({ kind: 'sent' })
    expect(slack.messages(ann.direct())).toHaveLength(2)
    expect(escaped).toEqual([])
  })

  it('goes to a direct chat as an ordinary message', async () => {
    await using scene = await openScene()
    const { slack, connection } = scene
    const ann = slack.person('ann')
    const opened = await connection.openDirect(ann.id)
    expect(opened).toMatchObject({ kind: 'open', chat: { isDirect: true, isGroup: false } })
    await connection.privately({ chat: ann.direct(), thread: null, handle: ann.id }, { kind: 'card', card: card() })
    expect(slack.messages(ann.direct())).toHaveLength(1)
    expect(await connection.openDirect('U404')).toMatchObject({ kind: 'gone' })
  })
})

describe('a gap', () => {
  it.each(['thread', 'channel'])('in a %s is read up, oldest first, without bots and edits', async (where) => {
    await using scene = await openScene({ retryMs: [] })
    const { slack, channel, connection } = scene
    const ann = slack.person('ann')
    const root = ann.writes(channel, 'root')
    const thread = where === 'thread' ? root.ts : null
    const seen = ann.writes(channel, 'seen', thread ? { thread } : {})
    await Promise.all([root.acked, seen.acked])
    slack.sockets.keepBack(() => true)
    const missed = Array.from({ length: 250 }, (_, index) =>
      ann.writes(channel, `${index} <@${slack.botUser}>`, thread ? { thread } : {}),
    )
    await sent(scene, outgoing(channel, 'ours', { thread }))
    const chat = { id: channel, name: 'ops', isGroup: true, isDirect: false }
    const read = await connection.missed(chat, thread, seen.ts, never)
    if (read.kind !== 'read') throw new Error(read.error)
    expect(read.more).toBe(false)
    expect(read.events.map(({ text }) => text)).toEqual(missed.map((_, index) => String(index)))
    expect(read.events[0]).toMatchObject({ key: `${channel}:${missed[0]!.ts}`, thread, mentionsUs: true, chat })
  })
})
