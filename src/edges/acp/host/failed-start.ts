import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Fault } from '../../../lib/result.ts'
import { seeing, system } from '../actor.ts'

/** Whether the server is going, which leaves what it began to the next one. */
export type Stopping = { stopping(): boolean }

/** What becomes of a session whose agent could not be brought to work, and what its starter is told. */
export async function settleFailedStart(
  { app, stopping }: { app: App } & Stopping,
  id: SessionId,
  fault: Fault,
): Promise<{ fault: Fault; hasFailed: boolean }> {
  if (stopping()) return { fault, hasFailed: false }
  // Its driver was let go, though we stay: by the end of its session, or with the keeper.
  const isCut = fault.code === 'server_stopping'
  const reason = (isCut ? lost : fault).message.slice(0, 2000)
  // Refused where the session was ended meanwhile, or waits to be recovered: it stays as it is.
  const done = await app.dispatch({ type: isCut ? 'session.interrupt' : 'session.fail', id, reason }, system)
  const session = done.ok ? null : await app.read.session(seeing, id)
  const known = session?.ok && hasEnded(session.value.status) ? overtaken : isCut ? lost : fault
  return { fault: { ...known, details: { ...known.details, sessionId: id } }, hasFailed: done.ok && !isCut }
}

const lost: Fault = {
  kind: 'unavailable',
  code: 'keeper_gone',
  message: 'The keeper ended before the agent was ready.',
  hint: 'Recover the session: a new keeper is started for it.',
}

const overtaken: Fault = {
  kind: 'conflict',
  code: 'start_cancelled',
  message: 'The session was ended before its agent was ready.',
}
