import { notFound, ok, type Result } from '../../lib/result.ts'
import { phaseChanged, type SessionFacts, type SessionState } from './decide.ts'
import type { SessionId } from './id.ts'
import { full } from './refusals.ts'
import type { SessionChange } from './schema.ts'
import { hasEnded, takesSlot } from './status.ts'

/** R4: an MCP client counts from its first tool call. */
export function decideBeginWork(
  session: SessionState | undefined,
  { id }: { id: SessionId },
  { slots: { taken, limit } }: SessionFacts,
): Result<SessionChange[]> {
  if (!session) return notFound('session', id)
  if (hasEnded(session.status) || session.agentPhase !== 'connected') return ok([])
  if (!takesSlot(session.status)) return ok([phaseChanged(session, 'awake', 'its agent works', taken)])
  if (taken >= limit) return full(session, limit)
  return ok([phaseChanged(session, 'awake', 'its agent works', taken + 1)])
}
