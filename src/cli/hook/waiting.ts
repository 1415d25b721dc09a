import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { ToolAsk } from '../../client/tool-use.ts'
import type { Ask, AskId } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import { patiently } from './patient.ts'
import { codeOf, within, type OwnSession } from './session.ts'

/** Opens the ask, or finds the one opened before. An unreachable server is an error. */
export function openAsk(client: Client, own: OwnSession, id: AskId, ask: ToolAsk): Promise<Ask> {
  const { title, description, riskLevel, subject } = ask
  const body = { id, title, riskLevel, subject, ...(description !== null && { description }) }
  return within(client, own, async (sessionId) => {
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
    ask = await patiently(look, signal)
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
  while (await patiently(isPaused, signal)) await pause(lookAgainMs, undefined, { signal })
}
