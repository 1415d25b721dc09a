import { notForAgents } from '../../../src/domain/ask/admin-command.ts'
import { Hono } from 'hono'
import type { ChatPort, WebhookRequest } from '../../../src/app/chat/chat-port.ts'
import type { ChatInstanceId } from '../../../src/domain/chat/id.ts'
import { createAttempts } from '../../../src/edges/http/attempts.ts'
import { createAuthenticator } from '../../../src/edges/http/auth.ts'
import { mountChatWebhooks } from '../../../src/edges/http/chat-webhooks.ts'
import { guardConfig } from '../../../src/edges/http/guard.ts'
import { mountChatInstances } from '../../../src/edges/http/handlers/chat-instances.ts'
import { mountChats } from '../../../src/edges/http/handlers/chats.ts'
import { mountPeople } from '../../../src/edges/http/handlers/people.ts'
import { createInFlight } from '../../../src/edges/http/in-flight.ts'
import { createOpenResponses } from '../../../src/edges/http/open-responses.ts'
import type { Bindings } from '../../../src/edges/http/request.ts'
import { guardGate, type RouteDeps, type Web } from '../../../src/edges/http/route.ts'
import { newId } from '../../../src/lib/id.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { fail, ok } from '../../../src/lib/result.ts'
import { newSecret, sha256 } from '../../../src/lib/secret.ts'
import type { Person, World } from '../../world.ts'

/** A platform in memory. The token `wrong` does not work; `narrow` lacks a scope. */
export function fakePlatform() {
  const seen = {
    checked: [] as Readonly<Record<string, string>>[],
    tested: [] as string[],
    webhooks: [] as (WebhookRequest & { id: string; path: string })[],
  }
  const self = { handle: 'U0', name: 'signalbox', workspace: 'Example Ltd' }
  const port: ChatPort = {
    platforms: async () => [
      {
        name: 'slack',
        title: 'Slack',
        delivery: 'once',
        steps: ['Create an app.'],
        fields: [
          { name: 'botToken', label: 'Bot token', secret: true, required: true, hint: 'Under OAuth.' },
          { name: 'appToken', label: 'App token', secret: true, required: false, hint: 'Under Basic information.' },
        ],
        manifest: '{"display_information":{}}',
      },
    ],
    platform: async (name) => (await port.platforms()).find((one) => one.name === name) ?? null,
    async check(_platform, credentials) {
      seen.checked.push(credentials)
      if (credentials['botToken'] === 'wrong')
        return fail({ kind: 'invalid', code: 'credentials_refused', message: 'Slack refuses the token.' })
      if (credentials['botToken'] === 'narrow')
        return fail({
          kind: 'invalid',
          code: 'scopes_missing',
          message: 'The token may not do enough.',
          details: { missing: ['chat:write'] },
        })
      return ok({ self, warnings: ['Files cannot be read.'] })
    },
    checkInstance: async () => ok({ self, warnings: [] }),
    seal: async (credentials, id) => ok(`sealed ${id} ${Object.keys(credentials).join()}`),
    async test(id) {
      seen.tested.push(id)
      return ok({ isConnected: true })
    },
    sayOnWeb: async () => ok(undefined),
    pressOnWeb: async () => ok(undefined),
    async webhook(id: ChatInstanceId, path, request) {
      seen.webhooks.push({ ...request, id, path })
      return path === 'events' ? { status: 202, body: 'taken', contentType: 'text/plain' } : null
    },
  }
  return { port, seen }
}

export type Answer = { readonly status: number; readonly body: unknown; readonly text: string; headers: Headers }

/** The routes of chats as the server mounts them, without a socket. */
export function openRoutes({ app, clock }: World, chats: ChatPort | null) {
  const web: Web = new Hono<{ Bindings: Bindings }>()
  const deps: RouteDeps = {
    app,
    auth: createAuthenticator({ app, clock }),
    guard: guardConfig({ host: '127.0.0.1', publicUrl: null, allowedHosts: [] }),
    attempts: createAttempts({ trustedProxies: ['loopback'], clock }),
    inFlight: createInFlight({ app, log: silentLogger }),
    openResponses: createOpenResponses(),
    log: silentLogger,
    bodyLimit: 1_000_000,
    cookieName: () => 'signalbox',
    administration: { request: async () => notForAgents },
    observe: () => undefined,
  }
  guardGate(web, deps)
  mountChats(web, deps, chats)
  mountChatInstances(web, deps, chats)
  mountPeople(web, deps, clock)
  mountChatWebhooks(web, deps, chats, clock)

  async function send(
    method: string,
    path: string,
    options: { token?: string; body?: unknown; raw?: Uint8Array; headers?: Record<string, string> } = {},
    listener: Bindings['listener'] = 'tcp',
  ): Promise<Answer> {
    const { token, body, raw, headers = {} } = options
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: {
        host: '127.0.0.1:3000',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    }
    if (raw !== undefined) init.body = Buffer.from(raw)
    else if (body !== undefined) init.body = JSON.stringify(body)
    const socket = { remoteAddress: '127.0.0.1' }
    const env = { listener, incoming: { socket }, outgoing: undefined }
    const response = await web.request(`http://127.0.0.1:3000${path}`, init, env)
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = JSON.parse(text)
    } catch {
      // Not every answer is JSON.
    }
    return { status: response.status, body: parsed, text, headers: response.headers }
  }
  return { send }
}

/** A token of this person. */
export async function tokenFor(world: World, { userId }: Person, scope: 'full' | 'read' = 'full'): Promise<string> {
  const token = newSecret('sbx_')
  await world.do(
    {
      type: 'token.create',
      id: newId(),
      userId,
      name: 't',
      scope,
      sessionId: null,
      hash: sha256(token),
      expiresAt: null,
    },
    { kind: 'person', userId, scope: 'full' },
  )
  return token
}
