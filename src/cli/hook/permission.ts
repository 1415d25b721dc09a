import type { Client } from '../../client/client.ts'
import { ownTools } from '../../client/own-tools.ts'
import { askOfToolUse } from '../../client/tool-use.ts'
import { verdictOf, type ToolVerdict } from '../../client/tool-verdict.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { lookAtFile, realPlace } from '../../lib/look-at-file.ts'
import { namesOfPeople } from '../people.ts'
import { actorText } from '../display-text.ts'
import type { ToolEvent } from './event.ts'
import { codeOf, sessionOf, sessionStopped } from './session.ts'
import { watchForUse } from './transcript.ts'
import { askIdOf, closedAsk, openAsk, untilResumed } from './ask-wait.ts'

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
