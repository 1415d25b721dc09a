import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBridge } from '../edges/chat/bridge-harness.ts'
import { guarded } from '../support/chats/loopback-guard.ts'
import { openSlack, type EmulatedSlack } from '../support/chats/slack.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openWorld } from '../world.ts'

type Instance = { id: string; state: string; stateError: string | null }

let server: Server
let slack: EmulatedSlack
beforeAll(async () => {
  slack = await openSlack()
  server = await startServer({ config: '[chat]\nkey_store = "file"\n', env: guarded })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await slack[Symbol.asyncDispose]()
})

const instances = () => server.api().list<Instance>('/api/chat-instances')

/** Adds an instance of the emulated workspace under this name. */
const added = async (name: string, credentials: Record<string, string>) => {
  const body = { platform: 'slack', name, settings: slack.endpoints, credentials, check: false }
  return (await server.api().post<{ instance: Instance }>('/api/chat-instances', body)).instance
}

it('S7 a token that was pasted with a line break is in no answer, no state and no log', async () => {
  const secret = 'xoxb-11-SECRETPART'
  const credentials = { bot_token: `${secret}\nrest`, app_token: `xapp-${secret}\nrest` }
  const refused = await server
    .api()
    .refused('POST', '/api/chat-instances', { platform: 'slack', settings: slack.endpoints, credentials })
  expect(refused.code).toBe('credentials_refused')
  const { id } = await added('pasted', credentials)
  await until(async () => (await instances()).some((one) => one.id === id && one.stateError !== null), {
    what: 'an error',
  })
  expect(JSON.stringify([refused.message, refused.hint, refused.details, await instances()])).not.toContain(
    'SECRETPART',
  )
  expect(server.log()).not.toContain('SECRETPART')
})

it('S7 another address of the API needs the credentials again: a stored token goes nowhere else', async () => {
  const { id } = await added('moved', { bot_token: slack.tokens.bot, app_token: slack.tokens.app })
  await using thief = await openSlack()
  const path = `/api/chat-instances/${id}`
  const refused = await server.api().refused('PATCH', path, { settings: thief.endpoints })
  expect(refused).toMatchObject({ status: 400, code: 'credentials_needed' })
  expect(thief.calls).toEqual([])
  // Other settings and the title can be changed without them.
  await server.api().patch(path, { title: 'Moved', settings: { ...slack.endpoints, note: 'x' } })
  const credentials = { bot_token: thief.tokens.bot, app_token: thief.tokens.app }
  await server.api().patch(path, { settings: thief.endpoints, credentials })
  await until(() => thief.calls.length > 0, { what: 'a call' })
})

it('S7 the key of the credentials is for the server alone', async () => {
  const { mode } = await stat(join(server.home, 'chat-key'))
  expect(mode & 0o777).toBe(0o600)
})

const talkative = `
export const createTalkativeAdapter = ({ botToken }) => ({
  name: 'telegram', userName: 'talkative', botUserId: '1',
  async initialize() { Promise.reject(new Error('GET https://api.example/bot' + botToken + '/getMe failed')) },
  async postMessage(thread, { markdown }) {
    if (markdown === 'at length') throw new Error('failed: ' + '.'.repeat(980) + botToken)
    throw new Error('POST https://api.example/bot' + encodeURIComponent(botToken) + '/send failed')
  },
  async editMessage() {}, async addReaction() {}, async startTyping() {},
  async handleWebhook() { return new Response('ok') },
})`

it('S7 C4 errors of an adapter behind the bridge do not quote its token, so neither agents nor logs see it', async () => {
  await using world = await openWorld('sqlite')
  const config = { botToken: '4711:SECRET+PART/of=it' }
  await using bridge = await openBridge(world, { adapter: 'talkative', more: { talkative }, config })
  const connection = await bridge.connect()
  await until(() => bridge.log.lines.some(({ message }) => message.includes('unhandled error')), {
    what: 'the log line',
  })
  const send = (text: string) => {
    const [rendered] = bridge.platform.render({ kind: 'text', text })
    const message = { key: 'k', chat: '1', thread: null, replyTo: null, rendered: rendered!, prepared: null }
    return connection.send(message, new AbortController().signal)
  }
  // The error of the second is cut in the middle of the token.
  for (const text of ['hello', 'at length']) {
    const sent = await send(text)
    expect(sent).toMatchObject({ kind: 'unsure', error: expect.stringContaining('failed') })
    expect(JSON.stringify([sent, bridge.log.lines])).not.toMatch(/SECRET/)
  }
})

const warning = `
export const createWarningAdapter = ({ botToken }) => ({
  name: 'telegram', userName: 'warning', botUserId: undefined,
  async initialize(chat) {
    const error = new Error('GET https://api.example/bot' + encodeURIComponent(botToken) + '/getMe: 401 Unauthorized')
    const logger = chat.getLogger()
    // Longer than what is shown: its end is in the token.
    logger.warn('.'.repeat(485) + botToken, { error: new Error('.'.repeat(485) + botToken) })
    logger.warn('Could not sign in with ' + botToken, { error })
  },
  async postMessage() { return { id: 'm1' } }, async editMessage() {},
  async handleWebhook() { return new Response('ok') },
})`

it('S7 C12 the state of an account behind the bridge does not quote its token', async () => {
  await using world = await openWorld('sqlite')
  const config = { botToken: '4711:SECRET+PART/of=it' }
  await using bridge = await openBridge(world, { adapter: 'warning', more: { warning }, config })
  const connection = bridge.connecting()
  await until(() => connection.health().state === 'refused', { what: 'the refusal' })
  expect(connection.health().error).toContain('401 Unauthorized')
  expect(JSON.stringify([connection.health(), bridge.log.lines])).not.toMatch(/SECRET/)
})
