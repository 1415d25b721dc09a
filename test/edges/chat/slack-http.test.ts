import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { slack as platform } from '../../../src/edges/chat/slack/platform.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { teamId } from '../../support/chats/slack-workspace.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { createInbox, createTestLog, openScene, type Scene } from './slack-harness.ts'

const route = platform.routes!.find(({ path }) => path === 'events')!

/** Serves the route, as a node does that is not connected itself. */
async function serve({ slack, inbox, log, credentials }: Scene) {
  const deps = { instance: { id: 'i', name: 'slack' }, credentials, endpoints: slack.endpoints }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string | undefined>
    const body = Buffer.concat(chunks)
    const {
      status,
      body: text,
      contentType,
    } = await route.handle(
      { method: request.method ?? '', headers, body },
      { ...deps, receiver: inbox, clock: systemClock, log },
    )
    response.writeHead(status, { 'content-type': contentType }).end(text)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  slack.sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/chat/i/events`)
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('events by HTTP', () => {
  it('messages, clicks and commands arrive without a socket, each after its commit', async () => {
    await using scene = await openScene({ byHttp: true })
    await using _server = await serve(scene)
    const { slack, inbox, channel, connection } = scene
    expect(connection.health().state).toBe('connected')
    const ann = slack.person('ann')
    expect(await ann.writes(channel, `<@${slack.botUser}> hello`).acked).toEqual([200, 200])
    expect(inbox.events).toMatchObject([{ kind: 'message', text: 'hello', mentionsUs: true }])
    expect(await ann.commands(channel, 'help').acked).toBe(200)
    expect(await inbox.first('command')).toMatchObject({ text: 'help', sender: { handle: ann.id } })
    expect(slack.sockets.opened()).toBe(0)
    expect(escaped).toEqual([])
  })

  it('a failed commit is answered with an error, and Slack sends the event again', async () => {
    await using scene = await openScene({ byHttp: true })
    await using _server = await serve(scene)
    const { slack, inbox, channel } = scene
    inbox.failNext(2)
    expect(await slack.person('ann').writes(channel, 'hello').acked).toEqual([200])
    expect(inbox.deliveries).toHaveLength(3)
    expect(inbox.events).toHaveLength(1)
  })

  it('the address is verified by its challenge, only if it is signed', async () => {
    await using scene = await openScene({ byHttp: true })
    const { slack } = scene
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'legacy' })
    expect(await ask(scene, body, slack.signed(body))).toMatchObject({ status: 200, body: 'abc' })
    expect(await ask(scene, body, {})).toMatchObject({ status: 401, body: '' })
  })

  it('only what Slack signed in the last five minutes is read', async () => {
    await using scene = await openScene({ byHttp: true })
    const { slack, inbox } = scene
    const clock = fakeClock()
    const now = clock.now() / 1000
    const body = event('hello')
    const status = async (headers: Record<string, string>, text = body) =>
      (await ask(scene, text, headers, clock)).status
    expect(await status(slack.signed(body, now))).toBe(200)
    expect(await status(slack.signed(body, now - 299))).toBe(200)
    expect(await status(slack.signed(body, now - 301))).toBe(401)
    expect(await status(slack.signed(body, now + 301))).toBe(401)
    expect(await status(slack.signed(body, now, 'another secret'))).toBe(401)
    expect(await status(slack.signed(body, now), `${body} `)).toBe(401)
    expect(await status({ ...slack.signed(body, now), 'x-slack-signature': 'v0=' })).toBe(401)
    expect(await status({ ...slack.signed(body, now), 'x-slack-request-timestamp': 'NaN' })).toBe(401)
    expect(await status({})).toBe(401)
    expect(inbox.events).toHaveLength(1)
    // Without a secret nothing can be verified, not even with an empty one.
    const open = { ...scene, credentials: { bot_token: 'xoxb-1' } }
    expect((await ask(open, body, slack.signed(body, now, ''), clock)).status).toBe(401)
  })

  it.each(['{', 'null', '[]', '{"type":"event_callback"}', `{"type":"event_callback","event":${'['.repeat(9000)}`])(
    'hostile bodies are answered and left out: %.40s',
    async (body) => {
      await using scene = await openScene({ byHttp: true })
      const { slack, inbox } = scene
      expect(await ask(scene, body, slack.signed(body))).toMatchObject({ status: 200 })
      const form = new URLSearchParams({ payload: body }).toString()
      const headers = { ...slack.signed(form), 'content-type': 'application/x-www-form-urlencoded' }
      expect(await ask(scene, form, headers)).toMatchObject({ status: 200 })
      expect(inbox.deliveries).toEqual([])
    },
  )
})

const event = (text: string) => {
  const message = { type: 'message', channel: 'C1', user: 'U1', ts: '1.1', text }
  return JSON.stringify({ type: 'event_callback', event_id: 'Ev1', event: message })
}

function ask(
  { credentials, inbox, slack }: Pick<Scene, 'credentials' | 'inbox' | 'slack'>,
  body: string,
  headers: Record<string, string>,
  clock = systemClock,
) {
  const instance = { id: 'i', name: 'slack' }
  const deps = { instance, credentials, endpoints: slack.endpoints, receiver: inbox, clock, log: createTestLog() }
  return route.handle({ method: 'POST', headers, body: Buffer.from(body) }, deps)
}

describe('setting up', () => {
  const check = (scene: Scene, credentials: Record<string, string>) =>
    platform.check(credentials, scene.slack.endpoints, new AbortController().signal)

  it('says who we are', async () => {
    await using scene = await openScene()
    expect(await check(scene, scene.credentials)).toEqual({
      ok: true,
      self: { handle: scene.slack.botUser, name: 'signalbox', workspace: 'Emulated' },
      workspaceId: teamId,
      warnings: [],
    })
    expect(scene.slack.messages(scene.channel)).toEqual([])
  })

  it('says which scopes are missing, and what to do', async () => {
    await using scene = await openScene()
    scene.slack.scopes.delete('files:write')
    scene.slack.scopes.delete('metadata.message:read')
    expect(await check(scene, scene.credentials)).toEqual({
      ok: false,
      message: 'The bot token lacks the scopes files:write, metadata.message:read.',
      hint: expect.stringContaining('reinstall the app'),
      missing: ['files:write', 'metadata.message:read'],
    })
  })

  it.each([
    [{ bot_token: 'xoxp-1', app_token: 'xapp-1' }, 'This is not a bot token.'],
    [{ bot_token: 'xoxb-1' }, 'Slack cannot send messages to Signalbox.'],
    [{ bot_token: 'xoxb-1', app_token: 'xoxb-1' }, 'This is not an app-level token.'],
    [{ bot_token: 'xoxb-wrong', app_token: 'xapp-1' }, 'Slack does not accept the bot token.'],
    [{ bot_token: 'xoxb-emulated', app_token: 'xapp-wrong' }, 'Slack does not accept the app-level token.'],
  ])('refuses %j', async (credentials, message) => {
    await using scene = await openScene()
    expect(await check(scene, credentials)).toMatchObject({ ok: false, message })
  })

  it('says that Slack cannot be reached', async () => {
    const scene = await openScene({ byHttp: true })
    await scene.slack[Symbol.asyncDispose]()
    expect(await check(scene, scene.credentials)).toMatchObject({
      ok: false,
      message: expect.stringContaining("Slack can't be reached"),
    })
    await scene.connection[Symbol.asyncDispose]()
  })

  it('a bad token at the start is refused, and not tried again', async () => {
    await using scene = await openScene()
    const deps = { instance: { id: 'i', name: 'slack' }, endpoints: scene.slack.endpoints, receiver: createInbox() }
    const before = scene.slack.callsOf('auth.test').length
    await using connection = platform.connect({
      ...deps,
      credentials: { bot_token: 'xoxb-wrong', app_token: scene.slack.tokens.app },
      clock: systemClock,
      log: createTestLog(),
      cursor: null,
    })
    await expect.poll(() => connection.health().state).toBe('refused')
    expect(scene.slack.callsOf('auth.test').length - before).toBe(1)
    expect(scene.slack.callsOf('apps.connections.open')).toHaveLength(1)
  })
})
