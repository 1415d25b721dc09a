import type { RequestListener } from 'node:http'
import type { AnswerAsk } from '../../app/use-cases/answer-ask.ts'
import { createHandOver } from '../../app/use-cases/hand-over.ts'
import type { Sessions } from '../../app/use-cases/start-session.ts'
import type { Templates } from '../../app/use-cases/templates.ts'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { Requests } from '../../app/administration/requests.ts'
import type { App } from '../../app/app.ts'
import type { CatchUp } from '../../app/catch-up/catch-up.ts'
import type { ChatPort } from '../../app/chat/chat-port.ts'
import { writtenType } from '../../app/events.ts'
import type { Terminals } from '../../app/terminals.ts'
import { api } from '../../client/contract.ts'
import type { Check, ConfigInForce } from '../../client/contract/system.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { once } from '../../lib/lazy.ts'
import type { Logger } from '../../lib/log.ts'
import { ok, type Result } from '../../lib/result.ts'
import { createAttempts } from './attempts.ts'
import { createAuthenticator } from './auth.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { guardGate, type RouteDeps, type Web } from './route.ts'
import { checkHost, guardConfig } from './guard.ts'
import { mountAdministration } from './handlers/administration.ts'
import { mountAgents, type Agents } from './handlers/agents.ts'
import { mountMcpClients, type McpClients } from './handlers/mcp-clients.ts'
import { mountAlerts } from './handlers/alerts.ts'
import { mountAsks, type UndoAsk } from './handlers/asks.ts'
import { mountAttachments } from './handlers/attachments.ts'
import { mountBudgets } from './handlers/budgets.ts'
import { mountCatchUp } from './handlers/catch-up.ts'
import { mountChatInstances } from './handlers/chat-instances.ts'
import { mountAgentGroups, type GroupFolderPort } from './handlers/agent-groups.ts'
import { mountChats } from './handlers/chats.ts'
import { mountSchedules } from './handlers/schedules.ts'
import { mountChanges, type ChangeService } from './handlers/changes.ts'
import { mountCheckpoints, type CheckpointService } from './handlers/checkpoints.ts'
import { mountCommands, type Commands } from './handlers/commands.ts'
import { mountInbox } from './handlers/inbox.ts'
import { mountOverview } from './handlers/overview.ts'
import { mountPatterns } from './handlers/patterns.ts'
import { mountPeople } from './handlers/people.ts'
import { mountPolicy, type PolicyService } from './handlers/policy.ts'
import { mountPractice, mountSessions, type PracticeDeps } from './handlers/sessions.ts'
import { mountPush, type PushService } from './handlers/push.ts'
import { mountRepos, type RepoDeps } from './handlers/repos.ts'
import { mountSessionRecords } from './handlers/session-records.ts'
import { mountSignIn } from './handlers/sign-in.ts'
import { mountSystem, type ServerFacts } from './handlers/system.ts'
import { mountTemplates } from './handlers/templates.ts'
import { mountTerminals } from './handlers/terminals.ts'
import { mountWebChats } from './handlers/web-chats.ts'
import { asset } from './html.ts'
import { createInFlight } from './in-flight.ts'
import { listenSocket, listenTcp, type TcpOptions } from './listen.ts'
import type { Metrics } from './metrics.ts'
import { mountChatWebhooks } from './chat-webhooks.ts'
import { mountMcp, type McpEndpoint } from './mcp-endpoint.ts'
import { createOpenResponses } from './open-responses.ts'
import { mountPages } from './pages.ts'
import { bearerOf, type Bindings, type HttpContext, type ListenerKind } from './request.ts'
import { failed, json } from './respond.ts'

export type HttpDeps = RepoDeps & {
  mcpClients: McpClients
  app: App
  clock: Clock
  log: Logger
  facts: Omit<ServerFacts, 'address' | 'socket'>
  doctor: () => Promise<Check[]>
  config: () => ConfigInForce
  tcp: TcpOptions
  socketPath: string
  /** Socket for agents with their own network. */
  gatePath: string
  publicUrl: string | null
  allowedHosts: readonly string[]
  trustedProxies: readonly string[]
  bodyLimit: number
  locateAgain(path: string): Promise<Result<void>>
  agents: Agents
  practiceRepo: PracticeDeps['practiceRepo']
  /** Silence in a turn that may mean a problem. */
  silentAfterMs: number
  stop(agents: 'end' | 'keep'): void
  mcp: McpEndpoint
  commands: Commands
  checkpoints: CheckpointService
  changes: ChangeService
  policy: PolicyService
  push: PushService | null
  /** Null if this server has no chats. */
  chats: ChatPort | null
  groupFolders: GroupFolderPort
  undo: UndoAsk
  templates: Templates
  terminals: Terminals
  sessions: Sessions
  answer: AnswerAsk
  administration: Requests
  catchUp: CatchUp
}

export type HttpServer = AsyncDisposable & {
  readonly address: string
  /** Address for programs on this machine. */
  readonly local: string
  readonly port: number
  /** Whether a person has this session on screen; null: a view without a session. */
  readonly isLooking: EventStream['isLooking']
  /** The default port, if it was taken and another one is used. */
  readonly takenPort: number | null
}

/** The HTTP server: on a port, on the local socket, and on the gate for agents. */
export async function startHttp(deps: HttpDeps): Promise<Result<HttpServer>> {
  const { app, clock, log } = deps
  // The router that Hono would choose anyway after trying another one.
  const web: Web = new Hono<{ Bindings: Bindings }>({ router: new TrieRouter() })
  const auth = createAuthenticator({ app, clock })
  const forgetting = app.tail.listen((events) => {
    if (events.some((event) => /^(user|role|member|token|login|identity|agent_group)\./.test(writtenType(event))))
      auth.forget()
  })
  const inFlight = createInFlight({ app, log })
  const stream = createEventStream({ app, clock, log })
  const attempts = createAttempts({ trustedProxies: deps.trustedProxies, clock })
  const guard = guardConfig({ host: deps.tcp.host, publicUrl: deps.publicUrl, allowedHosts: deps.allowedHosts })
  const where = { address: '', socket: null as string | null }
  let port = deps.tcp.port
  // Browsers share cookies between the ports of a host, and several servers may run there.
  const cookieName = () => `signalbox_login_${port}`
  const secure = deps.tcp.tls !== null || (deps.publicUrl?.startsWith('https:') ?? false)
  const loginCookie = (value: string | null) =>
    `${cookieName()}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${value === null ? 0 : 30 * 24 * 3600}${secure ? '; Secure' : ''}`

  let metrics: Metrics | null = null
  let loading: Promise<Metrics> | null = null
  const loadMetrics = (): Promise<Metrics> =>
    (loading ??= loadMetricSources(app, stream).then((counting) => (metrics = counting)))
  const route: RouteDeps = {
    app,
    auth,
    guard,
    attempts,
    inFlight,
    openResponses: createOpenResponses(),
    log,
    bodyLimit: deps.bodyLimit,
    cookieName,
    administration: deps.administration,
    observe: (...seen) => metrics?.observe(...seen),
  }
  guardGate(web, route)
  const facts = () => ({ ...deps.facts, ...where })
  const { agents, sessions } = deps
  const { session, sessionDetail } = app.read
  const handOver = createHandOver({ read: { session, sessionDetail }, sessions, change: deps.changes.change })
  mountSessions(web, route, { sessions, handOver, gone: agents.gone })
  mountAgents(web, route, agents)
  mountMcpClients(web, route, deps.mcpClients)
  mountPractice(web, route, { sessions, practiceRepo: deps.practiceRepo })
  mountSessionRecords(web, route, { agents, clock, silentAfterMs: deps.silentAfterMs })
  mountAlerts(web, route, clock)
  mountAsks(web, route, deps.undo, deps.answer)
  mountAttachments(web, route)
  mountAdministration(web, route)
  mountTemplates(web, route, deps.templates)
  mountTerminals(web, route, deps.terminals)
  mountInbox(web, route, { clock, terminals: deps.terminals })
  mountBudgets(web, route)
  mountCatchUp(web, route, deps.catchUp)
  mountOverview(web, route, clock)
  mountPatterns(web, route, clock)
  mountCommands(web, route, deps.commands)
  mountCheckpoints(web, route, deps.checkpoints)
  mountChanges(web, route, deps.changes)
  mountPolicy(web, route, deps.policy, deps.locateAgain)
  mountPush(web, route, deps.push)
  mountPeople(web, route, clock)
  mountSignIn(web, route, clock)
  mountChats(web, route, deps.chats)
  mountAgentGroups(web, route, { folders: deps.groupFolders, clock })
  mountSchedules(web, route, deps.clock)
  mountChatInstances(web, route, deps.chats)
  mountWebChats(web, route, deps.chats, clock)
  mountRepos(web, route, { locateRepo: deps.locateRepo, findRepos: deps.findRepos })
  mountSystem(web, route, {
    clock,
    stream,
    facts,
    doctor: deps.doctor,
    config: deps.config,
    loginCookie,
    agents,
    stop: deps.stop,
  })
  const { version } = deps.facts
  const { page } = mountPages(web, { app, auth, guard, attempts, clock, inFlight, version, cookieName, loginCookie })
  mountPublic(web, deps, loadMetrics, route)
  mountMcp(web, route, deps.mcp)
  mountChatWebhooks(web, route, deps.chats, clock)
  mountNotFound(web, route, page)

  const listenerFor = (listener: ListenerKind): RequestListener => {
    const answer = getRequestListener((request, env) => web.fetch(request, Object.assign(env, { listener })))
    return (incoming, outgoing) => {
      // Only for our own pages: another port of this host is the same site, but not the same origin.
      outgoing.setHeader('cross-origin-resource-policy', 'same-origin')
      outgoing.setHeader('x-content-type-options', 'nosniff')
      void answer(incoming, outgoing)
    }
  }
  const socket = await listenSocket(deps.socketPath, listenerFor('socket'))
  if (!socket.ok) return socket
  const gate = await listenSocket(deps.gatePath, listenerFor('gate'))
  if (!gate.ok) {
    await socket.value[Symbol.asyncDispose]()
    return gate
  }
  const tcp = await listenTcp(deps.tcp, listenerFor('tcp'))
  if (!tcp.ok) {
    await Promise.all([socket.value[Symbol.asyncDispose](), gate.value[Symbol.asyncDispose]()])
    return tcp
  }
  where.socket = deps.socketPath
  port = tcp.value.port
  where.address = deps.publicUrl ?? localAddress(deps.tcp, tcp.value.port)
  const counting = setTimeout(() => void loadMetrics(), afterReadyMs)
  counting.unref()
  return ok({
    address: where.address,
    local: localAddress(deps.tcp, tcp.value.port),
    port: tcp.value.port,
    isLooking: stream.isLooking,
    takenPort: tcp.value.taken,
    async [Symbol.asyncDispose]() {
      clearTimeout(counting)
      stream.close()
      await deps.mcp.close()
      forgetting[Symbol.dispose]()
      const listeners = [tcp.value, socket.value, gate.value]
      const closed = Promise.all(listeners.map((one) => one[Symbol.asyncDispose]()))
      await inFlight.drain()
      await closed
      await inFlight.drain()
    },
  })
}

/** Clients that waited for the server come first. */
const afterReadyMs = 100

async function loadMetricSources(app: App, stream: EventStream): Promise<Metrics> {
  const { createMetrics } = await import('./metrics.ts')
  const system = { actor: { kind: 'system' as const, name: 'metrics' }, grants: [], memberOf: [], unknown: false }
  return createMetrics({
    eventReaders: stream.readers,
    openSessions: async () => {
      const statuses = ['created', 'active', 'paused', 'interrupted'] as const
      const page = await app.read.sessions(system, { statuses, limit: 1, offset: 0 })
      return page.ok ? page.value.total : 0
    },
    openAsks: async () => {
      const open = await app.read.openAsks(system)
      return open.ok ? open.value : 0
    },
  })
}

function localAddress({ host, tls }: TcpOptions, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${tls ? 'https' : 'http'}://${name}:${port}`
}

/** Endpoints without a login: health, readiness, metrics, and the API's description. */
function mountPublic(web: Web, deps: HttpDeps, metrics: () => Promise<Metrics>, route: RouteDeps): void {
  const open = (handle: (context: HttpContext) => Promise<Response> | Response) => (context: HttpContext) => {
    const refused = context.env.listener !== 'socket' ? checkHost(route.guard, context.req.header('host')) : null
    return refused ? failed(refused.fault, newId()) : route.inFlight.run(newId(), async () => handle(context))
  }
  web.get(
    '/healthz',
    open(() => json({ status: 'ok' }, 200)),
  )
  web.get(
    '/readyz',
    open(async () => {
      try {
        if (await deps.app.read.ping()) return json({ status: 'ready' }, 200)
        return json({ status: 'database file is gone' }, 503)
      } catch {
        return json({ status: 'database unavailable' }, 503)
      }
    }),
  )
  web.get(
    '/metrics',
    open(async (context) => {
      if (!route.attempts.isLocal(context)) {
        const bearer = bearerOf(context.req.header('authorization'))
        const caller = await route.auth.authenticate({ listener: 'tcp', bearer, cookies: [], key: null })
        if (!caller.ok) return failed(caller.fault, newId())
      }
      return asset(await (await metrics()).text(), 'text/plain; version=0.0.4; charset=utf-8')
    }),
  )
  const document = async () => (await import('./openapi.ts')).openApi(deps.facts.version, route.cookieName())
  web.get(
    '/api/openapi.json',
    open(async () => json(await document(), 200)),
  )
  web.get(
    '/api/docs',
    open(async () => (await import('./docs-page.ts')).docsPage(await document())),
  )
}

/** Browsers get a view of the dashboard at any path outside the API; other clients get 404. */
const isView = ({ req }: HttpContext): boolean =>
  req.method === 'GET' && !req.path.startsWith('/api/') && (req.header('accept') ?? '').includes('text/html')

function mountNotFound(web: Web, route: RouteDeps, page: (context: HttpContext) => Promise<Response>): void {
  const known = once(() =>
    Object.values(api).map((endpoint) => ({
      method: endpoint.method,
      path: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
  web.notFound((context) => {
    const refused = context.env.listener !== 'socket' ? checkHost(route.guard, context.req.header('host')) : null
    if (refused) return failed(refused.fault, newId())
    if (isView(context)) return page(context)
    const path = context.req.path
    const methods = known()
      .filter((one) => one.path.test(path))
      .map((one) => one.method)
    if (methods.length > 0) {
      const message = `${context.req.method} is not allowed for ${path}; use ${methods.join(', ')}.`
      return failed({ kind: 'invalid', code: 'method_not_allowed', message }, newId(), { allow: methods.join(', ') })
    }
    const hint = 'See /api/docs for all endpoints.'
    return failed({ kind: 'not_found', code: 'no_such_address', message: `Not found: ${path}`, hint }, newId())
  })
}
