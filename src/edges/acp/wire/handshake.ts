import { PROTOCOL_VERSION, methods } from '@agentclientprotocol/sdk'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Json } from '../../../lib/json.ts'
import { fail, ok, type Fault, type Result } from '../../../lib/result.ts'
import type { Wire } from './wire.ts'

export type McpServer = Json

export type HandshakeInput = {
  cwd: string
  mcpServers: readonly McpServer[]
  version: string
  clientFs: boolean
  clientTerminal: boolean
  authMethod: string | null
  /** The agent's id of the conversation to continue. */
  continues: string | null
  /** Continue from a copy of that conversation. */
  forks: boolean
  /** The conversation is one of the agent's own: it has to be there, and is replayed. */
  takesUp?: boolean
  /** Our own MCP server's entry, over HTTP or as a program. */
  ownServer(http: boolean): Promise<McpServer | null>
  settle(offset: number): void
  /** Updates of a replayed conversation are ignored. */
  replaying(on: boolean): void
}

export type HandshakeResult = { about: Partial<AgentAbout>; loaded: 'new' | 'resumed' | 'loaded' | 'lost' }

type Initialized = {
  protocolVersion?: number
  agentInfo?: Json
  agentCapabilities?: {
    loadSession?: boolean
    mcpCapabilities?: { http?: boolean } | null
    sessionCapabilities?: Record<string, unknown>
  } & Record<string, unknown>
  authMethods?: { id: string; name?: string }[]
}
type OpenedSession = { sessionId?: string; modes?: Json; models?: Json; configOptions?: Json }

/** initialize, authenticate if needed, then open or continue a session. */
export async function performHandshake(wire: Wire, input: HandshakeInput): Promise<Result<HandshakeResult>> {
  const ask = async <T>(id: string, method: string, params: object): Promise<Result<T>> => {
    const answer = await wire.request<T>(id, method, params)
    if (answer.ok) input.settle(answer.value.offset)
    else input.settle(Number(answer.fault.details?.['offset'] ?? -1))
    return answer.ok ? ok(answer.value.value) : answer
  }

  const init = await ask<Initialized>('initialize', methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'signalbox', title: 'Signalbox', version: input.version },
    clientCapabilities: {
      fs: { readTextFile: input.clientFs, writeTextFile: input.clientFs },
      terminal: input.clientTerminal,
      elicitation: { form: {} },
    },
  })
  if (!init.ok) return because('The agent refused to initialize', init.fault)
  const { agentCapabilities = {}, authMethods = [] } = init.value
  const about: Partial<AgentAbout> = {
    protocolVersion: init.value.protocolVersion ?? null,
    agentInfo: init.value.agentInfo ?? null,
    capabilities: agentCapabilities as Json,
    authMethods: authMethods,
  }

  const own = await input.ownServer(agentCapabilities.mcpCapabilities?.http === true)
  const place = { cwd: input.cwd, mcpServers: own === null ? input.mcpServers : [...input.mcpServers, own] }
  const open = (suffix: string) => openSession(ask, input, place, agentCapabilities, suffix)
  let opened = await open('')
  if (!opened.ok && opened.fault.details?.['rpcCode'] === authRequired) {
    if (input.authMethod === null) return fail(needsLogin(authMethods))
    const signedIn = await ask('authenticate', methods.agent.authenticate, { methodId: input.authMethod })
    if (!signedIn.ok) return because('The agent refused to authenticate', signedIn.fault)
    opened = await open('-again')
  }
  if (!opened.ok) return because('The agent could not open a session', opened.fault)
  const { session, loaded } = opened.value
  return ok({
    loaded,
    about: {
      ...about,
      agentSessionId: session.sessionId ?? input.continues,
      modes: session.modes ?? null,
      models: session.models ?? null,
      configOptions: session.configOptions ?? [],
    },
  })
}

const authRequired = -32000

/** The ids of all requests of the handshake. */
export const handshakeRequestIds: readonly string[] = [
  'initialize',
  'authenticate',
  ...['', '-again'].flatMap((suffix) => ['new', 'fork', 'resume', 'load'].map((what) => `session-${what}${suffix}`)),
]

async function openSession(
  ask: <T>(id: string, method: string, params: object) => Promise<Result<T>>,
  input: HandshakeInput,
  place: Pick<HandshakeInput, 'cwd' | 'mcpServers'>,
  capabilities: NonNullable<Initialized['agentCapabilities']>,
  suffix: string,
): Promise<Result<{ session: OpenedSession; loaded: HandshakeResult['loaded'] }>> {
  const openNew = async (loaded: HandshakeResult['loaded']) => {
    const session = await ask<OpenedSession>(`session-new${suffix}`, methods.agent.session.new, { ...place })
    return session.ok ? ok({ session: session.value, loaded }) : session
  }
  if (input.continues === null) return openNew('new')
  const continued = { ...place, sessionId: input.continues }
  if (input.forks) {
    if (!capabilities.sessionCapabilities?.['fork']) return fail(cannotFork)
    const session = await ask<OpenedSession>(`session-fork${suffix}`, 'session/fork', { ...continued })
    return session.ok ? ok({ session: session.value, loaded: 'resumed' }) : session
  }
  // Resume first: it does not replay the conversation.
  if (capabilities.sessionCapabilities?.['resume'] && !input.takesUp) {
    const session = await ask<OpenedSession>(`session-resume${suffix}`, methods.agent.session.resume, continued)
    if (session.ok) return ok({ session: { ...session.value, sessionId: input.continues }, loaded: 'resumed' })
    if (session.fault.details?.['rpcCode'] === authRequired) return session
  }
  if (capabilities.loadSession) {
    input.replaying(true)
    const session = await ask<OpenedSession>(`session-load${suffix}`, methods.agent.session.load, { ...continued })
    if (session.ok) return ok({ session: { ...session.value, sessionId: input.continues }, loaded: 'loaded' })
    input.replaying(false)
    if (session.fault.details?.['rpcCode'] === authRequired) return session
  }
  return input.takesUp ? fail(noSuchConversation) : openNew('lost')
}

const noSuchConversation: Fault = {
  kind: 'not_found',
  code: 'conversation_not_found',
  message: 'The agent has no such conversation here, or cannot load it.',
  hint: 'List them: signalbox sessions conversations ID, with a session of this agent in the same folder.',
}

const cannotFork: Fault = {
  kind: 'conflict',
  code: 'fork_not_offered',
  message: "This agent can't continue from a copy of a conversation.",
  hint: 'Continue the session instead.',
}

const because = (what: string, fault: Fault) => fail({ ...fault, message: `${what}: ${fault.message}` })

function needsLogin(offered: readonly { id: string; name?: string }[]): Fault {
  const names = offered.map(({ id, name }) => (name && name !== id ? `${id} (${name})` : id))
  return {
    kind: 'unavailable',
    code: 'agent_needs_login',
    message: `The agent needs you to sign in first. Methods: ${names.length > 0 ? names.join(', ') : 'nothing'}.`,
    hint: "Sign in with the agent's own program, set its key in the environment, or name a method: authMethod, or auth_method under [agents.NAME].",
    details: { authMethods: offered },
  }
}
