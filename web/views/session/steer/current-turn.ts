import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { hasEnded } from '../../../../src/domain/session/status.ts'

type TurnFacts = Pick<SessionDetail, 'agentState' | 'queue' | 'status'>
export type RunningTurn = { startedAt: string | null; cancelled: boolean }

/** The current turn. A prompt is known to be delivered before the agent reports its start. */
export function turnOf({ agentState, queue, status }: TurnFacts): RunningTurn | null {
  if (hasEnded(status) || status === 'interrupted') return null
  const told = agentState?.turn ?? null
  const sent = queue.findLast((item) => item.status === 'sent')
  if (sent && told?.itemId !== sent.id && agentState?.turnless !== true) return { startedAt: null, cancelled: false }
  return told && { startedAt: told.startedAt, cancelled: told.cancelled }
}
