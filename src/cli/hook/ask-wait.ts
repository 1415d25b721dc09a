import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { ToolAsk } from '../../client/tool-use.ts'
import type { Ask, AskId } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import { retryWhileAway } from './retry.ts'
import { codeOf, inSession, type OwnSession } from './session.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { ToolEvent } from './event.ts'

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
export function openAsk(client: Client, own: OwnSession, id: AskId, ask: ToolAsk): Promise<Ask> {
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
export async function closedAsk(client: Client, opened: Ask, signal: AbortSignal): Promise<Ask> {
  let ask = opened
  while (ask.status === 'open') {
    const look = () => client.getAsk({ params: { id: opened.id }, query: { wait: longPollSeconds }, signal })
    ask = await retryWhileAway(look, signal)
  }
  return ask
}

const lookAgainMs = 2000

/** A paused session does nothing, even if it was approved. */
export async function untilResumed(client: Client, id: SessionId, signal: AbortSignal): Promise<void> {
  const isPaused = async () => {
    const { sessions } = await client.listSessions({ query: { status: 'paused', limit: 100 }, signal })
    return sessions.some((session) => session.id === id)
  }
  while (await retryWhileAway(isPaused, signal)) await pause(lookAgainMs, undefined, { signal })
}
