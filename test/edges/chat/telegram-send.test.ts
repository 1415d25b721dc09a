import { describe, expect, it } from 'vitest'
import type { Card, Outgoing } from '../../../src/edges/chat/adapter.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { never, openScene, outgoing, type Scene } from './telegram-harness.ts'

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

async function sent({ connection }: Scene, message: Outgoing): Promise<string> {
  const result = await connection.send(message, never)
  if (result.kind !== 'sent') throw new Error(result.error)
  return result.messageId
}

describe('a message to Telegram', () => {
  it('arrives in its topic, as a reply, without previews', async () => {
    await using scene = await openScene()
    const { telegram } = scene
    const forum = telegram.group('forum', 'supergroup', true)
    const thread = telegram.topic(forum)
    const asked = telegram.person('ann').writes(forum, 'what?', { thread })
    const more = { thread: String(thread), replyTo: String(asked.id) }
    const messageId = await sent(scene, outgoing(forum, '**see** https://x.test', more))
    expect(telegram.ours(forum).at(-1)).toMatchObject({
      message_id: Number(messageId),
      text: 'see https://x.test',
      entities: [{ type: 'bold', offset: 0, length: 3 }],
      message_thread_id: thread,
      reply_to_message: { message_id: asked.id },
    })
    expect(telegram.callsOf('sendMessage')[0]?.args['link_preview_options']).toEqual({ is_disabled: true })
    // The message it replies to is gone: it is sent all the same.
    await sent(scene, outgoing(forum, 'late', { replyTo: '99999' }))
    expect(escaped).toEqual([])
  })

  it('is edited as a whole: no old button stays, and the same again is fine', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const messageId = await sent(scene, outgoing(group, { kind: 'card', card: card() }))
    expect(telegram.messages(group)[0]?.reply_markup?.inline_keyboard.flat()).toHaveLength(2)
    const place = { chat: group, thread: null, messageId }
    // One vote of two: people still need the buttons.
    const voted = outgoing(group, { kind: 'card', card: card({ title: 'One vote is missing' }) })
    expect(await connection.edit(place, voted, never)).toEqual({ kind: 'sent', messageId })
    expect(telegram.messages(group)[0]?.reply_markup?.inline_keyboard.flat()).toHaveLength(2)
    const answered = outgoing(group, { kind: 'card', card: card({ tone: 'good', title: 'Approved', buttons: [] }) })
    for (let times = 0; times < 2; times += 1)
      expect(await connection.edit(place, answered, never)).toEqual({ kind: 'sent', messageId })
    const [message] = telegram.messages(group)
    expect(message).toMatchObject({ text: expect.stringContaining('Approved'), edits: 2 })
    expect(message?.reply_markup).toBeUndefined()
    const lost = { ...place, messageId: '999' }
    expect(await connection.edit(lost, answered, never)).toMatchObject({ kind: 'gone' })
    const ann = telegram.person('ann').writes(group, 'mine')
    expect(await connection.edit({ ...place, messageId: String(ann.id) }, answered, never)).toMatchObject({
      kind: 'permanent',
    })
  })

  it('gets a reaction, or the nearest that Telegram has', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const messageId = await sent(scene, outgoing(group, 'hello'))
    const place = { chat: group, thread: null, messageId }
    for (const [emoji, shown] of [
      ['👀', '👀'],
      ['✅', '👍'],
      ['✅', '👍'],
      ['❤️', '❤'],
    ] as const) {
      expect(await connection.react(place, emoji, never)).toEqual({ kind: 'sent', messageId })
      expect(telegram.messages(group)[0]?.reaction).toBe(shown)
    }
    expect(await connection.react(place, '🦩', never)).toMatchObject({ kind: 'permanent' })
    expect(await connection.react(place, 'constructor', never)).toMatchObject({ kind: 'permanent' })
  })

  it('with a file is one call, with its caption', async () => {
    await using scene = await openScene()
    const { telegram } = scene
    const forum = telegram.group('forum', 'supergroup', true)
    const thread = telegram.topic(forum)
    const file = { kind: 'file' as const, name: '../a\n"b.txt', bytes: Buffer.from('hello'), text: '**look** <b>' }
    const asked = telegram.person('ann').writes(forum, 'what?', { thread })
    await sent(scene, outgoing(forum, file, { thread: String(thread), replyTo: String(asked.id) }))
    const message = telegram.ours(forum).at(-1)
    expect(message).toMatchObject({
      caption: 'look <b>',
      message_thread_id: thread,
      reply_to_message: { message_id: asked.id },
      document: { file_name: expect.stringMatching(/^\.\._a_.*b\.txt$/) },
    })
    expect(telegram.world.files.get(message!.document!.file_id)?.bytes.toString()).toBe('hello')
    expect(telegram.callsOf('sendDocument')).toHaveLength(1)
  })
})

describe('what a failure means', () => {
  it.each([
    [
      { code: 429, retryAfter: 7 },
      { kind: 'rate_limited', retryAfterMs: 7000 },
    ],
    [{ code: 500, description: 'Internal Server Error' }, { kind: 'unsure' }],
    [{ code: 502 }, { kind: 'unsure' }],
    [{ drop: 'before' }, { kind: 'unsure' }],
    [{ drop: 'after' }, { kind: 'unsure' }],
    [{ raw: { status: 200, body: '<html>' } }, { kind: 'unsure' }],
    [{ raw: { status: 200, body: '{"ok":true,"result":{}}' } }, { kind: 'unsure' }],
    [{ raw: { status: 302, body: '' } }, { kind: 'unsure' }],
    [{ raw: { status: 403, body: 'proxy' } }, { kind: 'permanent' }],
    [
      { code: 400, description: "Bad Request: can't parse entities" },
      {
        kind: 'permanent',
        error: "Telegram answered 400 to sendMessage: Bad Request: can't parse entities",
      },
    ],
    [{ code: 400, description: 'Bad Request: not enough rights to send text messages' }, { kind: 'permanent' }],
    [{ code: 400, description: 'Bad Request: chat not found' }, { kind: 'gone' }],
    [{ code: 400, description: 'Bad Request: group chat was upgraded to a supergroup chat' }, { kind: 'gone' }],
    [{ code: 403, description: 'Forbidden: bot was kicked from the group chat' }, { kind: 'gone' }],
    [{ code: 401, description: 'Unauthorized' }, { kind: 'refused' }],
    [{ code: 404, description: 'Not Found' }, { kind: 'refused' }],
  ] as const)('%j', async (fault, expected) => {
    await using scene = await openScene()
    scene.telegram.fail({ method: 'sendMessage', ...fault })
    expect(await scene.connection.send(outgoing(scene.group, 'hello'), never)).toMatchObject(expected)
    // It was never tried twice.
    expect(scene.telegram.callsOf('sendMessage')).toHaveLength(1)
  })

  it('real limits and rights: too long, bad HTML, buttons, not in the chat, blocked, no such topic', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const raw = (body: Outgoing['rendered']['body'], chat = group, more: Partial<Outgoing> = {}) =>
      connection.send({ ...outgoing(chat, 'x', more), rendered: { body, file: null } }, never)
    const body = { text: 'x', keyboard: [] }
    expect(await raw({ text: 'x'.repeat(4097), keyboard: [] })).toMatchObject({ kind: 'permanent' })
    expect(await raw({ text: '<b>x', keyboard: [] })).toMatchObject({ kind: 'permanent' })
    const long = [[{ text: 'x', callback_data: 'x'.repeat(65) }]]
    expect(await raw({ text: 'x', keyboard: long })).toMatchObject({
      error: expect.stringContaining('BUTTON_DATA_INVALID'),
    })
    expect(await raw({ wrong: true })).toMatchObject({ kind: 'permanent' })
    expect(await raw(body, '-1009999')).toMatchObject({ kind: 'gone' })
    expect(await raw(body, group, { thread: '77' })).toMatchObject({ kind: 'gone' })
    const ann = telegram.person('ann')
    await ann.makesUs(ann.direct(), 'kicked').confirmed
    expect(await raw(body, ann.direct())).toMatchObject({ kind: 'gone' })
    await ann.makesUs(group, 'kicked').confirmed
    expect(await raw(body)).toMatchObject({ kind: 'gone' })
  })

  it('a server that is not there: it did not arrive', async () => {
    const scene = await openScene({ byHttp: true })
    await scene.telegram[Symbol.asyncDispose]()
    expect(await scene.connection.send(outgoing(scene.group, 'hello'), never)).toMatchObject({ kind: 'transient' })
    await scene.connection[Symbol.asyncDispose]()
  })

  it('a call that is stopped, or not answered in time: it may have arrived', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, byHttp: true })
    const { telegram, group, connection } = scene
    const answer = Promise.withResolvers<void>()
    telegram.fail({ method: 'sendMessage', hold: answer.promise, times: 2 })
    const stop = new AbortController()
    const stopped = connection.send(outgoing(group, 'one'), stop.signal)
    await until(() => telegram.messages(group).length === 1)
    stop.abort()
    expect(await stopped).toMatchObject({ kind: 'unsure' })
    const late = connection.send(outgoing(group, 'two'), never)
    await until(() => telegram.messages(group).length === 2)
    clock.advance(15_000)
    expect(await late).toEqual({ kind: 'unsure', error: 'sendMessage failed: no answer in time' })
    answer.resolve()
  })

  it('a revoked token is seen in the health, and stays there', async () => {
    await using scene = await openScene()
    scene.telegram.revoke()
    expect(await scene.connection.send(outgoing(scene.group, 'hello'), never)).toMatchObject({ kind: 'refused' })
    expect(scene.connection.health()).toMatchObject({ state: 'refused', error: expect.stringContaining('401') })
  })

  it('the token is in no error, log or health', async () => {
    const seen: unknown[] = []
    await using scene = await openScene()
    const { telegram, group, connection, log } = scene
    const leaks = `Bad Request: see https://api.telegram.org/bot${telegram.token}/x or ${telegram.token.slice(3)}`
    telegram.fail({ method: 'sendMessage', code: 400, description: leaks })
    telegram.fail({ method: 'sendMessage', drop: 'before' })
    telegram.fail({ method: 'getUpdates', code: 502, description: leaks })
    for (let times = 0; times < 2; times += 1) seen.push(await connection.send(outgoing(group, 'x'), never))
    telegram.person('ann').writes(group, 'hello')
    await until(() => connection.health().state === 'reconnecting')
    seen.push(connection.health(), log.lines)
    // An address that is none: the message of the error names the whole of it.
    const { telegram: platform } = await import('../../../src/edges/chat/telegram/platform.ts')
    seen.push(await platform.check(scene.credentials, { api: 'http://[bad' }, never))
    seen.push(await platform.check(scene.credentials, { api: 'ftp://127.0.0.1' }, never))
    expect(JSON.stringify(seen)).toContain('***')
    expect(JSON.stringify(seen)).not.toContain(telegram.token.slice(3))
  })
})

describe('what only one person sees', () => {
  const text = { kind: 'text' as const, text: 'Only the owner may answer.' }

  it('is a toast if it answers a click and is short, else a direct message', async () => {
    await using scene = await openScene()
    const { telegram, group, inbox, connection } = scene
    const ann = telegram.person('ann')
    const direct = ann.direct()
    const messageId = await sent(scene, outgoing(group, { kind: 'card', card: card() }))
    const reply = async () => {
      const before = inbox.events.length
      await ann.clicks(group, messageId, 'a:1:approve').confirmed
      const event = inbox.events[before]
      return event?.kind === 'click' ? event.reply : ''
    }
    const to = { chat: group, thread: null, handle: ann.handle }
    const first = await reply()
    expect(await connection.privately({ ...to, reply: first }, text)).toEqual({ kind: 'sent', messageId: '' })
    expect(telegram.answers.at(-1)).toMatchObject({ text: text.text })
    expect(telegram.ours(direct)).toEqual([])
    // The same click is answered only once; then it is a direct message.
    expect(await connection.privately({ ...to, reply: first }, text)).toMatchObject({ kind: 'sent' })
    expect(telegram.ours(direct)).toMatchObject([{ text: text.text }])
    const long = { kind: 'text' as const, text: `${'long '.repeat(39)}longer` }
    expect(long.text).toHaveLength(201)
    await connection.privately({ ...to, reply: await reply() }, long)
    expect(telegram.ours(direct).at(-1)).toMatchObject({ text: long.text })
    // The button no longer waits.
    expect(telegram.answers).toHaveLength(2)
    await connection.privately(to, { kind: 'card', card: card() })
    expect(telegram.ours(direct)).toHaveLength(3)
    expect(telegram.ours(group)).toHaveLength(1)
  })

  it('does not reach people who never wrote to the bot', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const [ann, bob] = [telegram.person('ann'), telegram.person('bob')]
    ann.direct()
    expect(await connection.openDirect(ann.handle)).toEqual({
      kind: 'open',
      chat: { id: ann.handle, name: 'ann', isGroup: false, isDirect: true },
    })
    expect(await connection.openDirect(bob.handle)).toMatchObject({ kind: 'gone' })
    expect(await connection.openDirect(group)).toMatchObject({ kind: 'gone' })
    const to = { chat: group, thread: null, handle: bob.handle }
    expect(await connection.privately(to, text)).toMatchObject({ kind: 'gone' })
  })
})
