import { describe, expect, it } from 'vitest'
import type { Card } from '../../../src/edges/chat/adapter.ts'
import { bridgePlatform } from '../../../src/edges/chat/bridge/platform.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { until } from '../../support/until.ts'
import { describeBoth, openWorld } from '../../world.ts'
import { installedAdapters, openBridge, outgoing } from './bridge-harness.ts'
import { never } from './slack-harness.ts'

const card = (more: Partial<Card> = {}): Card => ({
  title: 'Apply the diff?',
  tone: 'waiting',
  lines: [{ kind: 'diff', text: '-a\n+b' }],
  buttons: [
    { action: 'ask:1:approve', label: 'Approve', style: 'primary' },
    { action: 'ask:1:reject', label: 'Reject', style: 'danger' },
  ],
  footer: null,
  mention: null,
  ...more,
})

describeBoth('C12 an adapter of the Chat SDK behind the bridge', (open) => {
  it('hands messages over, and the platform learns of it after the commit', async () => {
    await using world = await open()
    await using bridge = await openBridge(world)
    const { api, inbox } = bridge
    await bridge.connect()
    const release = inbox.hold()
    api.say('@signalbox_bot look at this')
    await until(() => inbox.deliveries.length === 1, { what: 'the message' })
    expect([inbox.events, api.queue.length]).toEqual([[], 1])
    release()
    const event = await inbox.first('message')
    expect(event).toMatchObject({
      chat: { id: '-100', isGroup: true, isDirect: false },
      thread: null,
      sender: { handle: '101', identity: 'tg:101', name: 'Ann', isBot: false },
      text: 'look at this',
      mentionsUs: true,
      at: '2026-01-01T00:00:00.000Z',
    })
    await until(() => api.queue.length === 0, { what: 'the acknowledgement' })
    api.edit('@signalbox_bot look at that', Number(event.messageId.split(':').at(-1)))
    api.say('hello', '101')
    await until(() => inbox.events.length === 2, { what: 'the direct message' })
    // An edit is no second message, and a stranger does not see us typing.
    expect(inbox.events[1]).toMatchObject({ chat: { id: '101', isDirect: true }, text: 'hello' })
    expect(api.calls.filter(({ method }) => method === 'sendChatAction')).toEqual([])
    expect(escaped).toEqual([])
  })

  it('is given an event again if it could not be committed', async () => {
    await using world = await open()
    await using bridge = await openBridge(world)
    await bridge.connect()
    bridge.inbox.failNext(1)
    bridge.api.say('@signalbox_bot again')
    await until(() => bridge.inbox.events.length === 1, { what: 'the second delivery' })
    expect(bridge.inbox.deliveries).toHaveLength(2)
  })

  it('sends, edits and reacts; a click comes back as its action', async () => {
    await using world = await open()
    await using bridge = await openBridge(world)
    const { api, platform } = bridge
    const connection = await bridge.connect()
    const [first] = outgoing(platform, { kind: 'card', card: card() })
    const sent = await connection.send(first!, never)
    expect(sent).toEqual({ kind: 'sent', messageId: expect.any(String) })
    const [message] = api.sent()
    expect(message?.text).toContain('Apply the diff?')
    const { inline_keyboard: keyboard } = message!.reply_markup as { inline_keyboard: { callback_data: string }[][] }
    api.click(message!, keyboard.flat()[0]?.callback_data ?? '')
    const click = await bridge.inbox.first('click')
    expect(click).toMatchObject({ action: 'ask:1:approve', sender: { identity: 'tg:101' }, chat: { id: '-100' } })
    const messageId = sent.kind === 'sent' ? sent.messageId : ''
    expect(click.messageId).toBe(messageId)

    const [answered] = outgoing(platform, { kind: 'card', card: card({ tone: 'good', buttons: [] }) })
    const place = { chat: '-100', thread: null, messageId }
    expect(await connection.edit(place, answered!, never)).toEqual(sent)
    expect(api.sent()[0]?.reply_markup).toEqual({ inline_keyboard: [] })
    expect(await connection.react(place, '👍', never)).toEqual(sent)

    const [file] = outgoing(platform, { kind: 'file', name: 'a.txt', bytes: Buffer.from('hello'), text: null })
    expect(await connection.send(file!, never)).toMatchObject({ kind: 'sent' })
    expect(api.sent().at(-1)?.document).toBe('a.txt: hello')
    const note = { kind: 'text', text: 'only you' } as const
    expect(await connection.privately({ chat: '-100', thread: null, handle: '101' }, note)).toMatchObject({
      kind: 'sent',
    })
    expect(api.sent().at(-1)).toMatchObject({ chat_id: '101', text: expect.stringContaining('only you') })
    expect(platform.delivery).toBe('at_least_once')
    expect(await connection.find(first!, { after: null, since: 0 }, never)).toMatchObject({ kind: 'unknown' })
  })

  it('says of each failure whether the message may have arrived', async () => {
    await using world = await open()
    await using bridge = await openBridge(world)
    const { api, platform } = bridge
    const connection = await bridge.connect()
    const send = async (fault: object) => {
      // The adapter tries two methods: the first is unknown to older servers.
      api.faults.push({ method: 'sendMessage', status: 500, ...fault })
      const [message] = outgoing(platform, { kind: 'text', text: 'hello' })
      return connection.send(message!, never)
    }
    expect(await send({ status: 429, retryAfter: 7 })).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7000 })
    expect(await send({ status: 403 })).toMatchObject({ kind: 'gone' })
    expect(await send({ status: 400 })).toMatchObject({ kind: 'permanent' })
    expect(await send({ status: 502 })).toMatchObject({ kind: 'unsure' })
    expect(await send({ drop: true })).toMatchObject({ kind: 'unsure' })
    expect(connection.health().state).toBe('connected')
    expect(await send({ status: 401 })).toMatchObject({ kind: 'refused' })
    expect(connection.health().state).toBe('refused')
  })

  it('takes webhooks, connected or not, and answers after the commit', async () => {
    await using world = await open()
    await using bridge = await openBridge(world, { config: { mode: 'webhook', secretToken: 's3cret' } })
    const { api, inbox, platform, deps } = bridge
    const [route] = platform.routes ?? []
    const update = (id: number, text: string) =>
      Buffer.from(JSON.stringify({ update_id: id, message: api.said(text, '-100') }))
    const call = (body: Buffer, token = 's3cret') => {
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': token }
      return route!.handle({ method: 'POST', headers, body }, deps)
    }
    expect((await call(update(1, 'forged'), 'wrong')).status).toBe(401)
    // Not connected: the adapter is loaded for this request.
    expect((await call(update(2, 'one'))).status).toBe(200)
    await bridge.connect()
    const again = update(3, 'two')
    inbox.failNext(1)
    expect((await call(again)).status).toBe(503)
    expect((await call(again)).status).toBe(200)
    expect((await call(again)).status).toBe(200)
    expect(inbox.events.map((event) => 'text' in event && event.text)).toEqual(['one', 'two'])
    const keys = await world.database.read.selectFrom('chat_sdk_kv').select('key').execute()
    expect(keys.filter(({ key }) => key.includes('webhook-update'))).toHaveLength(2)
  })
})

/** An adapter that behaves badly in the ways that were seen. */
const rude = `
export const createRudeAdapter = () => ({
  name: 'telegram', userName: 'rude', botUserId: '1',
  async initialize() { Promise.reject(new Error('nobody waits for this')) },
  async postMessage(thread, { markdown }) {
    if (markdown === 'die') setImmediate(() => { throw new Error('uncaught') })
    if (markdown === 'exit') process.exit(3)
    if (['die', 'exit'].includes(markdown)) await new Promise(() => {})
    return { id: 'm1' }
  },
  async editMessage() {}, async addReaction() {}, async startTyping() {},
  async handleWebhook() { return new Response('ok') },
})`

/** It only warns that its token is wrong. */
const shy = `
export const createShyAdapter = () => ({
  name: 'telegram', userName: 'shy', botUserId: undefined,
  async initialize(chat) { chat.getLogger().warn('Could not sign in', { error: new Error('401 Unauthorized') }) },
  async postMessage() { return { id: 'm1' } }, async editMessage() {},
  async handleWebhook() { return new Response('ok') },
})`

/** It hands over its own words, and a click on nothing, before what a person said. */
const odd = `
export const createOddAdapter = () => {
  const said = (id, text, isMe) => ({ id, text, author: { userId: '7', userName: 'ann', isMe }, metadata: {} })
  return {
    name: 'telegram', userName: 'odd', botUserId: '1',
    async initialize(chat) {
      chat.processMessage(this, 'telegram:-100', said('1', 'of mine', true))
      chat.processAction({ actionId: '', messageId: '2', threadId: 'telegram:-100', user: { userId: '7' }, raw: {} })
      chat.processMessage(this, 'telegram:-100', said('3', 'of a person', false))
    },
    async postMessage() { return { id: 'm1' } },
    async editMessage() {
      throw Object.assign(new Error('message is not modified'), { code: 'VALIDATION_ERROR' })
    },
    async handleWebhook() { return new Response('ok') },
  }
}`

describe('an adapter that fails', () => {
  const open = () => openWorld('sqlite')

  it('never ends the server: it is started again', async () => {
    await using world = await open()
    await using bridge = await openBridge(world, { adapter: 'rude', more: { rude } })
    const connection = await bridge.connect()
    await until(() => bridge.log.lines.some(({ message }) => message.includes('unhandled error')), {
      what: 'the log line',
    })
    for (const text of ['die', 'exit']) {
      const [message] = outgoing(bridge.platform, { kind: 'text', text })
      expect(await connection.send(message!, never)).toMatchObject({ kind: 'unsure' })
      await until(() => connection.health().state === 'connected', { what: 'a new thread' })
      const [fine] = outgoing(bridge.platform, { kind: 'text', text: 'fine' })
      await until(async () => (await connection.send(fine!, never)).kind === 'sent', { what: 'a message' })
    }
  })

  it('is refused if it says that its token is wrong, and continues without knowing itself', async () => {
    await using world = await open()
    await using bridge = await openBridge(world, { adapter: 'shy', more: { shy } })
    const connection = bridge.connecting()
    await until(() => connection.health().state === 'refused', { what: 'the refusal' })
    expect(connection.health().error).toMatch(/Could not sign in: .*401 Unauthorized/)
  })

  it('can neither speak for itself, nor hand over what is no event; an edit that changes nothing is done', async () => {
    await using world = await open()
    await using bridge = await openBridge(world, { adapter: 'odd', more: { odd } })
    const connection = await bridge.connect()
    await until(() => bridge.inbox.events.length > 0, { what: 'the last message' })
    expect(bridge.inbox.events).toEqual([expect.objectContaining({ kind: 'message', text: 'of a person' })])
    expect(bridge.log.lines.map(({ message }) => message).join()).toContain('sent an event in an unknown format')
    const [message] = outgoing(bridge.platform, { kind: 'text', text: 'the same' })
    const place = { chat: '-100', thread: null, messageId: 'm1' }
    expect(await connection.edit(place, message!, never)).toEqual({ kind: 'sent', messageId: 'm1' })
  })

  it('is refused if its token is wrong', async () => {
    await using world = await open()
    await using bridge = await openBridge(world, { config: { botToken: '42:wrong' } })
    const connection = bridge.connecting()
    await until(() => connection.health().state === 'refused', { what: 'the refusal' })
    expect(connection.health().error).toMatch(/unauthorized/i)
  })

  it('names the command that installs it', async () => {
    await using world = await open()
    using installed = installedAdapters({ many: 'export const createAAdapter = 1, createBAdapter = 2' })
    const { directory } = installed
    const state = (instance: { name: string; platform: string }) => world.app.chat.bridgeState(instance, Date.now)
    const checked = (adapter: string, config = '{}') =>
      bridgePlatform({ name: 'teams', title: 'Teams', adapter, directory, state }).check({ config }, { api: '' }, never)
    expect(await checked('@chat-adapter/teams')).toEqual({
      ok: false,
      message: 'The chat adapter @chat-adapter/teams is not installed.',
      hint: `npm install --prefix ${directory} @chat-adapter/teams chat`,
      missing: [],
    })
    expect(await checked('../../etc')).toMatchObject({ ok: false, message: expect.stringMatching(/not the name/) })
    expect(await checked('@chat-adapter/telegram', 'x')).toMatchObject({
      message: expect.stringMatching(/not a JSON object/),
    })
    expect(await checked('@chat-adapter/many')).toMatchObject({
      message: expect.stringMatching(/name one of createAAdapter/),
    })
    expect(await checked('@chat-adapter/telegram', '{"botToken":"1:a"}')).toMatchObject({ ok: true })
  })
})

describe('what the bridge sends', () => {
  const { render } = bridgePlatform({
    name: 'teams',
    title: 'Teams',
    adapter: 'x',
    directory: '/nowhere',
    state: () => {
      throw new Error('not needed')
    },
  })
  const texts = (rendered: ReturnType<typeof render>) =>
    rendered.map(({ body, file }) => file?.name ?? (body as { markdown: string }).markdown)

  it('is split at a limit that every platform takes, and nothing is lost', () => {
    const words = Array.from({ length: 1500 }, (_, n) => `word${n}`).join(' ')
    const parts = texts(render({ kind: 'text', text: words }))
    expect(parts.length).toBeGreaterThan(4)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1900)
    expect(parts.join(' ').split(/\s+/)).toEqual(words.split(' '))
  })

  it('has identities of its own, or those of our adapters', () => {
    const prefixOf = (name: string) =>
      bridgePlatform({ name, title: name, adapter: 'x', directory: '/nowhere', state: () => never as never }).idPrefix
    expect(['teams', 'telegram', 'slack'].map(prefixOf)).toEqual(['chat-teams', 'tg', 'slack'])
  })

  it('mentions nobody', () => {
    const [text] = texts(render({ kind: 'text', text: '@ann <@U1> <!channel> ann@example.org' }))
    expect(text).not.toMatch(/@ann\b(?!\.)|<@U1>|<!channel>/)
    expect(text).toContain('ann@example.org')
  })

  it('shows a short diff in the card, and a long one as a file', () => {
    const long = Array.from({ length: 30 }, (_, n) => `+line ${n}`).join('\n')
    const [short, ...none] = texts(render({ kind: 'card', card: card() }))
    expect([short, none]).toEqual([expect.stringContaining('```\n-a\n+b\n```'), []])
    const [head, ...files] = texts(render({ kind: 'card', card: card({ lines: [{ kind: 'diff', text: long }] }) }))
    expect([head, files]).toEqual([expect.stringContaining('It is in the file changes.diff.'), ['changes.diff']])
  })
})
