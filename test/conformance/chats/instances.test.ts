import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../support/api.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { SessionDetail } from '../shapes.ts'
import type { Shown, Speaker } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'
import { openSlackDriver } from './slack-driver.ts'
import { openTelegramDriver } from './telegram-driver.ts'

type Instance = { state: string; stateError: string | null; wanted: string }

const instanceOf = ({ api, instanceId }: ChatsHarness) => api.get<Instance>(`/api/chat-instances/${instanceId}`)
const becomes = (harness: ChatsHarness, state: string) =>
  until(
    async () => {
      const instance = await instanceOf(harness)
      return instance.state === state ? instance : undefined
    },
    { what: `the state ${state}` },
  )
/** What the agent says is the word alone; the card of the session shows its prompt too. */
const saysWord =
  (word: string) =>
  ({ text }: Shown) =>
    text.startsWith(word)

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  let ann: Speaker & { userId: string }
  let annsApi: Api
  let root: string
  beforeAll(async () => {
    harness = await openChatsHarness(open)
    ann = await harness.member('Ann')
    annsApi = (await signIn(harness.server, ann.userId)).api
    root = ann.mentions('/say first')
    await harness.shown(root, saysWord('first'), 'a reply')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const act = (what: string) => harness.api.post(`/api/chat-instances/${harness.instanceId}/${what}`)
  /** Through Signalbox, not the chat; resolves when the agent has said it. */
  async function sayElsewhere(word: string): Promise<void> {
    const { id } = await harness.session()
    await annsApi.post(`/api/sessions/${id}/prompt`, { text: `/say ${word}`, when: 'next' })
    await until(
      async () =>
        (await harness.api.get<SessionDetail>(`/api/sessions/${id}`)).messages.some(
          ({ role, content }) => role === 'agent' && JSON.stringify(content).includes(word),
        ),
      { what: `${word} from the agent` },
    )
  }
  const posts = (word: string) => harness.driver.posted(root).filter(saysWord(word))

  it('C12 nothing goes to a stopped instance or comes from it; started again, everything arrives, once', async () => {
    await act('stop')
    await becomes(harness, 'stopped')
    const sends = harness.driver.sends()
    await sayElsewhere('second')
    const tested = await harness.api.post<{ connected: boolean }>(`/api/chats/${harness.chatId}/test`)
    expect(tested.connected).toBe(false)
    ann.saysUnheard('/say third', root)
    expect(harness.driver.sends()).toBe(sends)
    expect((await harness.api.list<unknown>('/api/dead-letters')).length).toBe(0)
    await act('start')
    await becomes(harness, 'connected')
    await harness.shown(root, saysWord('second'), 'what was said meanwhile')
    await harness.shown(root, saysWord('third'), 'the answer to what was written meanwhile')
    await until(() => harness.driver.inChat().some(({ text }) => text.includes('test message')), { what: 'the test' })
    expect([posts('second').length, posts('third').length]).toEqual([1, 1])
  })

  it('C4 C12 a revoked token shows as refused, with the reason; posts wait, and go out with new credentials', async () => {
    harness.driver.revoke()
    await sayElsewhere('fourth')
    const { stateError } = await becomes(harness, 'refused')
    expect(stateError).toMatch(/token|auth|401/i)
    expect(await harness.api.list('/api/dead-letters')).toEqual([])
    const path = `/api/chat-instances/${harness.instanceId}`
    const wrong = await harness.api.refused('PATCH', path, { credentials: harness.driver.credentials })
    expect(wrong.code).toBe('credentials_refused')
    await harness.api.patch(path, { credentials: harness.driver.renew() })
    expect((await becomes(harness, 'connected')).stateError).toBeNull()
    await harness.shown(root, saysWord('fourth'), 'what waited')
    ann.says('/say fifth', root)
    await harness.shown(root, saysWord('fifth'), 'a reply')
    expect(posts('fourth')).toHaveLength(1)
  })

  it('C12 in tests no server reaches a real platform: an account without an address of its own is refused there', async () => {
    const { platform, credentials } = harness.driver
    const refusal = await harness.api.refused('POST', '/api/chat-instances', { platform, name: 'real', credentials })
    expect(refusal.status).toBe(400)
    expect(harness.server.log()).toMatch(/^not on loopback: (?:slack\.com|api\.telegram\.org|discord\.com)$/m)
  })

  it('C12 an instance with wrong credentials is not added, and the refusal says what is wrong', async () => {
    const { platform, settings, credentials } = harness.driver
    const before = await harness.api.list<unknown>('/api/chat-instances')
    const token = `${credentials['bot_token']}-of-somebody-else`
    const refusal = await harness.api.refused('POST', '/api/chat-instances', {
      platform,
      name: 'other',
      settings,
      credentials: { ...credentials, bot_token: token },
    })
    expect([refusal.status, refusal.code]).toEqual([400, 'credentials_refused'])
    expect(refusal.message).toMatch(/token/i)
    expect(refusal.hint).toBeTruthy()
    expect(JSON.stringify(refusal)).not.toContain(token)
    expect(await harness.api.list('/api/chat-instances')).toHaveLength(before.length)
  })
})

describe('events by HTTP', () => {
  it('C12 Slack: signed events, clicks and commands come to the address of the instance; others are refused', async () => {
    let slack: Awaited<ReturnType<typeof openSlackDriver>>['slack'] | undefined
    await using harness = await openChatsHarness(async () => {
      const driver = await openSlackDriver()
      slack = driver.slack
      const credentials = { bot_token: slack.tokens.bot, signing_secret: slack.tokens.signingSecret }
      return Object.assign(driver, { credentials })
    })
    if (!slack) throw new Error('no Slack')
    const address = `${harness.server.address}/chat/${harness.instanceId}/events`
    slack.sendTo(address)
    const ann = await harness.member('Ann')
    const root = ann.mentions('/write by-http.txt Hello')
    const card = await harness.card(root)
    ann.clicks(card, 'Approve')
    const after = await harness.shown(root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the card')
    expect(after.text).toContain('Approved by Ann')
    ann.commands('who')
    await until(() => ann.toldPrivately().some((text) => text.includes('Ann')), { what: 'an answer' })
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
    const headers = { 'content-type': 'application/json' }
    const post = (more: Record<string, string>) =>
      fetch(address, { method: 'POST', body, headers: { ...headers, ...more } })
    const verified = await post(slack.signed(body))
    expect([verified.status, await verified.text()]).toEqual([200, 'abc'])
    expect((await post(slack.signed(body, undefined, 'guessed'))).status).toBe(401)
    expect((await post({})).status).toBe(401)
    expect(slack.sockets.opened()).toBe(0)
    slack.scopes.delete('chat:write')
    const check = await harness.api.refused('POST', `/api/chat-instances/${harness.instanceId}/check`)
    expect([check.code, check.details]).toEqual(['credentials_refused', { missing: ['chat:write'] }])
    expect(check.message).toContain('chat:write')
  })

  it('C12 Telegram: the webhook is registered, updates come through it, and others are refused', async () => {
    let telegram: Awaited<ReturnType<typeof openTelegramDriver>>['telegram'] | undefined
    await using harness = await openChatsHarness(async () => {
      const driver = await openTelegramDriver()
      telegram = driver.telegram
      return driver
    })
    if (!telegram) throw new Error('no Telegram')
    const secret = 'a-secret-of-sixteen'
    const credentials = {
      bot_token: telegram.token,
      webhook_secret: secret,
      webhook_url: 'https://box.example.org/',
    }
    await harness.api.patch(`/api/chat-instances/${harness.instanceId}`, { credentials })
    const path = `/chat/${harness.instanceId}/updates`
    const hook = await until(() => telegram?.updates.webhook(), { what: 'a webhook' })
    expect(hook).toEqual({ url: `https://box.example.org${path}`, secret })
    // Where that address leads to.
    const url = `${harness.server.address}${path}`
    telegram.updates.setWebhook({ url, secret_token: secret })
    const ann = await harness.member('Ann')
    const root = ann.mentions('/say by webhook')
    await harness.shown(root, saysWord('by webhook'), 'a reply')
    const before = (await harness.sessions()).length
    const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    expect([forged.status, (await harness.sessions()).length]).toEqual([401, before])
    expect(telegram.updates.pending()).toEqual([])
  })
})
