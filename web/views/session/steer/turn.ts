import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { hasEnded } from '../../../../src/domain/session/status.ts'

type Situation = Pick<SessionDetail, 'agentState' | 'queue' | 'status'>
export type RunningTurn = { startedAt: string | null; cancelled: boolean }

/** What the agent works on now. That words were handed to it is known before it has told us that it began. */
export function turnOf({ agentState, queue, status }: Situation): RunningTurn | null {
  if (hasEnded(status) || status === 'interrupted') return null
  const told = agentState?.turn ?? null
  const sent = queue.findLast((item) => item.status === 'sent')
  if (sent && told?.itemId !== sent.id && agentState?.turnless !== true) return { startedAt: null, cancelled: false }
  return told && { startedAt: told.startedAt, cancelled: told.cancelled }
}
