import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { ownTools } from '../../client/own-tools.ts'
import { askOfToolUse, type ToolAsk } from '../../client/ask-of-tool-use.ts'
import { verdictOf, type ToolVerdict } from '../../client/tool-verdict.ts'
import type { Ask, AskId } from '../../domain/ask/schema.ts'
import { lookAtFile, realPlace } from '../../lib/look-at-file.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson } from '../../lib/json.ts'
import { backoff } from '../../lib/backoff.ts'
import { namesOfPeople } from '../people.ts'
import { actorText } from '../display-text.ts'
import type { ToolEvent } from './event.ts'
import { codeOf, sessionOf, sessionStopped, inSession, type OwnSession } from './session.ts'
import { watchForUse } from './transcript.ts'

/** Tools that only read, or only change Claude Code's own notes. */
const readOnlyTools =
  /^(Read|Glob|Grep|LS|NotebookRead|Todo(Write|Read)|BashOutput|Kill(Shell|Bash)|Task|Agent|ToolSearch|Skill|EnterPlanMode|(List|Read)McpResources?Tool)$/
/** Multiple-choice questions, which only its own terminal can show. */
const atTerminal = ['AskUserQuestion']
const ownNames = new Set(ownTools.map((name) => `mcp__signalbox__${name}`))
/**
 * Our own tools ask on their own. A project could give any server our name, so its servers, and servers of unknown
 * source, do not count as ours.
 */
const isOurs = ({ tool_name: tool, mcp_server: server }: ToolEvent): boolean =>
  ownNames.has(tool) && server !== undefined && server.source !== 'project'

/** Whether to ask about the tool here. Claude Code's own permission requests always are. */
export function concernsUs(event: ToolEvent, all: boolean): boolean {
  const { hook_event_name: name, tool_name: tool } = event
  if (atTerminal.includes(tool)) return false
  if (name === 'PermissionRequest') return true
  return !isOurs(event) && (all || !readOnlyTools.test(tool))
}

/** Opens an ask and waits for the decision. If Claude Code stops waiting, the ask is withdrawn. */
export async function permit(
  event: ToolEvent,
  client: Client,
  env: NodeJS.ProcessEnv,
  leaving: AbortSignal,
): Promise<ToolVerdict> {
  if (isOurs(event)) return { decision: 'allow', why: "Signalbox's own tools ask separately." }
  const own = sessionOf(event, env)
  const workspaceRoot = await realPlace(own.workspaceRoot)
  const place = { workspaceRoot, cwd: event.cwd, look: lookAtFile }
  const ask = await askOfToolUse({ tool: event.tool_name, input: event.tool_input }, place)
  using used = watchForUse(event)
  const signal = AbortSignal.any([leaving, used.signal])
  try {
    const opened = await openAsk(client, own, askIdOf(event), withAgent(ask, event))
    const closed = await closedOrWithdrawn(client, opened, signal)
    const verdict = verdictOf(closed, await nameOfAnswerer(client, closed))
    if (verdict.decision === 'allow' && closed.sessionId !== null) await untilResumed(client, closed.sessionId, signal)
    return verdict
  } catch (error) {
    if (used.signal.aborted) return { decision: 'open', why: 'It was answered at the terminal.' }
    if (codeOf(error) !== sessionStopped || !(error instanceof Error)) throw error
    return { decision: 'deny', why: error.message, stop: true }
  }
}

export const noLonger = 'Claude Code is no longer waiting: it was answered at its terminal, or timed out.'

async function closedOrWithdrawn(client: Client, opened: Ask, signal: AbortSignal): Promise<Ask> {
  try {
    return await closedAsk(client, opened, signal)
  } catch (error) {
    if (signal.aborted) {
      await client.cancelAsk({ params: { id: opened.id }, body: { reason: noLonger } }).catch(() => null)
    }
    throw error
  }
}

async function nameOfAnswerer(client: Client, { answeredBy, automatic }: Ask): Promise<string | null> {
  if (answeredBy === null || automatic) return null
  return actorText(answeredBy, await namesOfPeople(client))
}

const withAgent = <T extends { description: string | null }>(ask: T, { agent_id, agent_type }: ToolEvent): T => {
  if (agent_id === undefined) return ask
  const who = `Asked by the subagent ${agent_type ?? agent_id}.`
  return { ...ask, description: ask.description === null ? who : `${ask.description}\n${who}` }
}

/**
 * One use of a tool has one ask, so that a repeated hook finds it. The input counts too: some models number their calls
 * from 1 in every turn. If Claude Code gives no tool_use_id, each call gets a new ask.
 */
export function askIdOf(event: ToolEvent): AskId {
  const { session_id, prompt_id, tool_name, tool_input, tool_use_id } = event
  if (tool_use_id === undefined) return newId<AskId>()
  const use = canonicalJson([session_id, prompt_id ?? null, tool_use_id, tool_name, tool_input])
  return derivedId<AskId>('claude code hook', use)
}

/** Opens the ask, or finds the one opened before. An unreachable server is an error. */
function openAsk(client: Client, own: OwnSession, id: AskId, ask: ToolAsk): Promise<Ask> {
  const { title, description, riskLevel, subject } = ask
  const body = { id, title, riskLevel, subject, ...(description !== null && { description }) }
  return inSession(client, own, async (sessionId) => {
    try {
      return await client.openAsk({ params: { id: sessionId }, body })
    } catch (error) {
      if (codeOf(error) === 'ask_exists') return client.getAsk({ params: { id } })
      throw error
    }
  })
}

const longPollSeconds = 60

/** Waits until the ask is closed, across restarts of the server. */
async function closedAsk(client: Client, opened: Ask, signal: AbortSignal): Promise<Ask> {
  let ask = opened
  while (ask.status === 'open') {
    const look = () => client.getAsk({ params: { id: opened.id }, query: { wait: longPollSeconds }, signal })
    ask = await retryWhileAway(look, signal)
  }
  return ask
}

const lookAgainMs = 2000

/** A paused session does nothing, even if it was approved. */
async function untilResumed(client: Client, id: SessionId, signal: AbortSignal): Promise<void> {
  const isPaused = async () => {
    const { sessions } = await client.listSessions({ query: { status: 'paused', limit: 100 }, signal })
    return sessions.some((session) => session.id === id)
  }
  while (await retryWhileAway(isPaused, signal)) await pause(lookAgainMs, undefined, { signal })
}

/** How long a server may be unreachable, and how often to retry. */
type RetryLimits = { readonly awayMs: number; readonly firstMs: number; readonly longestMs: number }

const defaultRetryLimits: RetryLimits = { awayMs: 10 * 60_000, firstMs: 250, longestMs: 5000 }

const passing = ['no_server', 'connection_lost', 'stopping', 'unavailable', 'shutting_down']

/** Retries while the server is unreachable, for example during a restart. Other errors are thrown. */
async function retryWhileAway<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { awayMs, firstMs, longestMs }: RetryLimits = defaultRetryLimits,
): Promise<T> {
  const until = Date.now() + awayMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error) || Date.now() > until) throw error
      await pause(backoff(attempt, firstMs, longestMs), undefined, { signal })
    }
  }
}

function isPassing(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : null
  return status === 503 || passing.includes(codeOf(error) ?? '')
}
