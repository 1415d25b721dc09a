import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { mostWebhookBytes } from '../../../src/edges/chat/adapter.ts'
import { telegram as platform } from '../../../src/edges/chat/telegram/platform.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { openTelegram, type EmulatedTelegram } from '../../support/chats/telegram.ts'
import { until } from '../../support/until.ts'
import { createTelegramInbox, createTestLog, never, openScene } from './telegram-harness.ts'

const route = platform.routes!.find(({ path }) => path === 'updates')!
const secret = 'shh-emulated'

function depsOf(telegram: EmulatedTelegram, credentials: Record<string, string> = {}) {
  return {
    instance: { id: 'i', name: 'telegram' },
    credentials: { bot_token: telegram.token, webhook_secret: secret, ...credentials },
    endpoints: telegram.endpoints,
    receiver: createTelegramInbox(),
    clock: systemClock,
    log: createTestLog(),
  }
}

/** A server behind a public address, and the connection that tells Telegram about it. */
async function openWebhook() {
  const telegram = await openTelegram()
  const requests: { url: string; status: number }[] = []
  const deps = depsOf(telegram)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string | undefined>
    const { status } = await route.handle({ method: 'POST', headers, body: Buffer.concat(chunks) }, deps)
    requests.push({ url: request.url ?? '', status })
    response.writeHead(status).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
  const connection = platform.connect({
    ...deps,
    credentials: { ...deps.credentials, webhook_url: address },
    cursor: null,
  })
  await until(() => connection.health().state === 'connected')
  return {
    telegram,
    connection,
    inbox: deps.receiver,
    requests,
    group: telegram.group('ops'),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('updates by webhook', () => {
  it('come to the address of the instance, each after its commit, and nothing polls', async () => {
    await using scene = await openWebhook()
    const { telegram, inbox, group, requests } = scene
    const ann = telegram.person('ann')
    await ann.writes(group, '@signalbox_bot hello').confirmed
    await ann.writes(group, '/signalbox@signalbox_bot help').confirmed
    expect(inbox.events).toMatchObject([
      { kind: 'message', text: 'hello', mentionsUs: true },
      { kind: 'command', text: 'help' },
    ])
    expect(requests).toEqual([
      { url: '/base/chat/i/updates', status: 200 },
      { url: '/base/chat/i/updates', status: 200 },
    ])
    expect(telegram.callsOf('setWebhook')[0]?.args).toMatchObject({
      secret_token: secret,
      allowed_updates: ['message', 'callback_query', 'my_chat_member'],
      max_connections: 1,
      drop_pending_updates: false,
    })
    expect(telegram.updates.polls()).toBe(0)
    // Who we are is asked by the connection, and once by the route.
    expect(telegram.callsOf('getMe')).toHaveLength(2)
    expect(escaped).toEqual([])
  })

  it('are answered with an error if the commit fails, and come again, in order', async () => {
    await using scene = await openWebhook()
    const { telegram, inbox, group, requests } = scene
    inbox.failNext(2)
    const ann = telegram.person('ann')
    await Promise.all([ann.writes(group, 'one').confirmed, ann.writes(group, 'two').confirmed])
    expect(requests.map(({ status }) => status)).toEqual([503, 503, 200, 200])
    expect(inbox.events).toMatchObject([{ text: 'one' }, { text: 'two' }])
  })

  it('wait while Telegram cannot say who we are: a mention must not be missed', async () => {
    await using scene = await openWebhook()
    const { telegram, inbox, group, requests } = scene
    telegram.fail({ method: 'getMe', code: 502, times: 2 })
    await telegram.person('ann').writes(group, '@signalbox_bot hello').confirmed
    expect(requests.map(({ status }) => status)).toEqual([503, 503, 200])
    expect(inbox.events).toMatchObject([{ text: 'hello', mentionsUs: true }])
  })

  it('without a public address, Telegram is told nothing', async () => {
    await using scene = await openScene({ byHttp: true })
    expect(scene.connection.health().state).toBe('connected')
    expect(scene.telegram.calls.map(({ method }) => method)).toEqual(['getMe'])
  })

  const update = (text: string) => {
    const from = { id: 5, is_bot: false, first_name: 'ann' }
    return JSON.stringify({
      update_id: 1,
      message: { message_id: 1, date: 1, chat: { id: 5, type: 'private' }, from, text },
    })
  }
  const header = 'x-telegram-bot-api-secret-token'

  it('are read only with the secret', async () => {
    await using telegram = await openTelegram()
    const deps = depsOf(telegram)
    const body = Buffer.from(update('hello'))
    const status = async (headers: Record<string, string>, more: object = {}, own = deps) =>
      (await route.handle({ method: 'POST', headers, body, ...more }, own)).status
    expect(await status({})).toBe(401)
    expect(await status({ [header]: '' })).toBe(401)
    expect(await status({ [header]: `${secret}x` })).toBe(401)
    expect(await status({ [header]: secret.slice(1) })).toBe(401)
    // Without a secret nothing is read, not even with an empty one.
    expect(await status({ [header]: '' }, {}, depsOf(telegram, { webhook_secret: '' }))).toBe(401)
    expect(telegram.calls).toEqual([])
    expect(await status({ [header]: secret }, { method: 'GET' })).toBe(405)
    expect(await status({ [header]: secret }, { body: Buffer.alloc(mostWebhookBytes + 1) })).toBe(413)
    expect(deps.receiver.deliveries).toEqual([])
    expect(await status({ [header]: secret })).toBe(200)
    expect(deps.receiver.events).toMatchObject([{ kind: 'message', text: 'hello' }])
  })

  it.each(['{', 'null', '[]', '{"update_id":1}', '{"update_id":1,"message":5}', `{"update_id":${'['.repeat(9000)}`])(
    'with hostile bodies are answered and left out: %s',
    async (text) => {
      await using telegram = await openTelegram()
      const deps = depsOf(telegram)
      const request = { method: 'POST', headers: { [header]: secret }, body: Buffer.from(text) }
      expect(await route.handle(request, deps)).toMatchObject({ status: 200, body: '' })
      expect(deps.receiver.deliveries).toEqual([])
    },
  )
})

describe('setting up', () => {
  const good = { bot_token: '42:emulated-secret_token' }
  const https = { webhook_secret: 'x', webhook_url: 'https://x.test' }

  it('says who we are, and warns about privacy mode and a missing address', async () => {
    await using telegram = await openTelegram()
    const check = (more: Record<string, string> = {}) => platform.check({ ...good, ...more }, telegram.endpoints, never)
    const self = { handle: '42', name: 'signalbox_bot', workspace: null }
    expect(await check()).toEqual({ ok: true, self, warnings: [] })
    expect(await check(https)).toEqual({ ok: true, self, warnings: [] })
    telegram.world.self.can_read_all_group_messages = false
    expect(await check({ webhook_secret: 'x' })).toEqual({
      ok: true,
      self,
      warnings: [expect.stringContaining('Privacy mode is on.'), expect.stringContaining('no public address')],
    })
    expect(new Set(telegram.calls.map(({ method }) => method))).toEqual(new Set(['getMe']))
  })

  it.each([
    [{ bot_token: '' }, 'This is not a bot token.'],
    [{ bot_token: '42' }, 'This is not a bot token.'],
    [{ bot_token: '42:a/../../x' }, 'This is not a bot token.'],
    [{ bot_token: '42:wrong' }, 'Telegram does not accept the bot token.'],
    [{ ...good, webhook_secret: 'a b' }, 'The webhook secret has characters that are not allowed.'],
    [{ ...good, webhook_url: 'https://x.test' }, 'A public address needs a webhook secret.'],
    [{ ...good, ...https, webhook_url: 'http://x.test' }, 'The public address is not valid.'],
    [{ ...good, ...https, webhook_url: 'https://x.test/?a' }, 'The public address is not valid.'],
  ])('refuses %j', async (credentials, message) => {
    await using telegram = await openTelegram()
    expect(await platform.check(credentials, telegram.endpoints, never)).toMatchObject({
      ok: false,
      message,
      hint: expect.stringMatching(/\.$|…$/),
    })
  })

  it('says that Telegram cannot be reached', async () => {
    const telegram = await openTelegram()
    await telegram[Symbol.asyncDispose]()
    expect(await platform.check(good, telegram.endpoints, never)).toMatchObject({
      ok: false,
      message: expect.stringContaining("Telegram can't be reached"),
    })
  })

  it('has fields whose secrets are marked', () => {
    expect(platform.fields.map(({ name, secret: isSecret }) => [name, isSecret])).toEqual([
      ['bot_token', true],
      ['webhook_secret', true],
      ['webhook_url', false],
    ])
  })
})
