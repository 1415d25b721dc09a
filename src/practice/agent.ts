import {
  agent,
  methods,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
} from '@agentclientprotocol/sdk/unstable'
import { listSessions, type HistoryEntry } from './history.ts'
import { availableCommands, perform } from './script.ts'
import type { DialectWire } from './dialect-wire.ts'
import { forkedSession, newSession, storedSession, type PracticeSession, type SessionDeps } from './session.ts'
import { configOptions, isModeId, isSpeed, modeIds, modeState } from './settings.ts'
import { createTurn } from './turn.ts'

type AgentDeps = SessionDeps & { version: string; seed: DialectWire }

/** The practice agent for the SDK: one connection, any number of sessions. */
export function practiceAgent(deps: AgentDeps): AgentApp {
  const sessions = new Map<string, PracticeSession>()
  let can: ClientCapabilities = {}
  process.once('exit', () => {
    for (const { history } of sessions.values()) history.flush()
  })

  function find(id: string): PracticeSession {
    const session = sessions.get(id)
    if (!session) throw RequestError.sessionNotFound(id)
    return session
  }
  // Flush first: a stored session is read from disk.
  function stored(id: string, cwd: string) {
    sessions.get(id)?.history.flush()
    const found = storedSession(deps, id, cwd)
    if (!found) throw RequestError.sessionNotFound(id)
    return found
  }
  function begin<T extends object>(session: PracticeSession, client: AgentContext, more: T) {
    sessions.get(session.id)?.running?.cancel(true)
    sessions.set(session.id, session)
    // After the response, which tells the client the session's id.
    setImmediate(() => void tellCommands(session.id, client))
    return { ...more, modes: modeState(session), configOptions: configOptions(session) }
  }

  return agent({ name: 'practice' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      can = params.clientCapabilities ?? {}
      return {
        protocolVersion: 1,
        agentInfo: { name: 'practice', title: 'Practice agent', version: deps.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, fork: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, ({ params, client }) => {
      const session = newSession(deps, params.cwd)
      return begin(session, client, { sessionId: session.id })
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { session, entries } = stored(params.sessionId, params.cwd)
      await replay(session, entries, client)
      return begin(session, client, {})
    })
    .onRequest(methods.agent.session.resume, ({ params, client }) => {
      const { session } = stored(params.sessionId, params.cwd)
      return begin(session, client, {})
    })
    .onRequest(methods.agent.session.fork, ({ params, client }) => {
      sessions.get(params.sessionId)?.history.flush()
      const session = forkedSession(deps, params.sessionId, params.cwd)
      if (!session) throw RequestError.sessionNotFound(params.sessionId)
      return begin(session, client, { sessionId: session.id })
    })
    .onRequest(methods.agent.session.list, ({ params }) => listSessions(deps.directory, params))
    .onRequest(methods.agent.session.close, ({ params }) => {
      find(params.sessionId).running?.cancel(true)
      sessions.delete(params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const session = find(params.sessionId)
      const { modeId } = params
      if (!isModeId(modeId)) throw RequestError.invalidParams(undefined, `available modes: ${modeIds.join(' and ')}`)
      session.modeId = modeId
      return {}
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
      const session = find(params.sessionId)
      const { configId, value } = params
      if (configId !== 'speed' || !isSpeed(value)) {
        throw RequestError.invalidParams(undefined, 'available option: speed (normal or fast)')
      }
      session.speed = value
      return { configOptions: configOptions(session) }
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      runPrompt({
        session: find(params.sessionId),
        prompt: params.prompt,
        client,
        can,
        seed: deps.seed,
        withdrawn: signal,
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.running?.cancel()
    })
}

async function replay(session: PracticeSession, entries: HistoryEntry[], client: AgentContext): Promise<void> {
  for (const entry of entries) {
    if (entry.type !== 'update') continue
    await client.notify(methods.client.session.update, { sessionId: session.id, update: entry.update })
  }
}

async function tellCommands(sessionId: string, client: AgentContext): Promise<void> {
  const update = { sessionUpdate: 'available_commands_update', availableCommands } as const
  await client.notify(methods.client.session.update, { sessionId, update }).catch(() => {})
}

const contextSize = 200_000
const tokensOfTurn = 500
const charactersOfToken = 4
const costOfToken = 0.000_01

type Spent = { used: number; cost: number }

type PromptDeps = {
  session: PracticeSession
  prompt: ContentBlock[]
  client: AgentContext
  can: ClientCapabilities
  seed: DialectWire
  /** The request was cancelled, or the connection is gone. */
  withdrawn: AbortSignal
}

/** Runs one turn of a session; at most one at a time. */
async function runPrompt({ session, prompt, client, can, seed, withdrawn }: PromptDeps): Promise<PromptResponse> {
  if (session.running) throw RequestError.invalidRequest(undefined, 'a turn of this session is still running')
  const controller = new AbortController()
  let ignoresCancel = false
  let reported: Spent | null = null
  const cancel = (force = false): void => {
    if (force || !ignoresCancel) controller.abort()
  }
  session.running = { cancel }
  withdrawn.addEventListener('abort', () => cancel(), { once: true })

  // What comes after the person's words is context.
  const text = textOf(prompt.slice(0, 1))
  for (const content of prompt)
    session.history.append({ type: 'update', update: { sessionUpdate: 'user_message_chunk', content } })
  const turn = createTurn({
    session,
    client,
    can,
    seed,
    signal: controller.signal,
    ignoreCancel: () => {
      ignoresCancel = true
    },
    spend: (used, cost) => {
      reported = { used, cost }
      return tellUsage(session, client, reported)
    },
  })

  /** Small, deterministic figures, unless `/usage` set others. */
  async function report(): Promise<{ input: number; output: number }> {
    const input = tokensOfTurn + Math.ceil(text.length / charactersOfToken)
    const output = Math.ceil(turn.said() / charactersOfToken)
    const cost = session.cost + (input + output) * costOfToken
    const spent = reported ?? { used: session.used + input + output, cost: Math.round(cost * 1e6) / 1e6 }
    await tellUsage(session, client, spent)
    return { input, output }
  }

  try {
    await giveTitle(session, client, text)
    await perform(turn, text)
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    session.running = null
    session.history.flush()
  }
  const { input, output } = await report()
  return {
    stopReason: controller.signal.aborted ? 'cancelled' : 'end_turn',
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
  }
}

async function tellUsage(session: PracticeSession, client: AgentContext, spent: Spent): Promise<void> {
  Object.assign(session, spent)
  session.history.append({ type: 'spent', ...spent })
  const cost = { amount: spent.cost, currency: 'USD' }
  const update = { sessionUpdate: 'usage_update', used: spent.used, size: contextSize, cost } as const
  await client.notify(methods.client.session.update, { sessionId: session.id, update })
}

async function giveTitle(session: PracticeSession, client: AgentContext, prompt: string): Promise<void> {
  if (session.title !== null) return
  const title = prompt.trim().split('\n', 1)[0]?.slice(0, 60) || 'Practice'
  session.title = title
  session.history.append({ type: 'title', title })
  const update = { sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() } as const
  await client.notify(methods.client.session.update, { sessionId: session.id, update })
}

const textOf = (prompt: ContentBlock[]): string =>
  prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
