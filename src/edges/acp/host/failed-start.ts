import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Fault } from '../../../lib/result.ts'
import { systemViewer, system } from '../actor.ts'

/** Whether the server is stopping; the next one finishes what this one began. */
export type Stopping = { stopping(): boolean }

/** Fails or interrupts a session whose agent did not start, and returns the fault to report. */
export async function settleFailedStart(
  { app, stopping }: { app: App } & Stopping,
  id: SessionId,
  fault: Fault,
): Promise<{ fault: Fault; hasFailed: boolean }> {
  if (stopping()) return { fault, hasFailed: false }
  // The driver stopped but the server did not: the session ended, or the keeper is gone.
  const isCut = fault.code === 'server_stopping'
  const reason = (isCut ? lost : fault).message.slice(0, 2000)
  // Refused if the session has ended or is already interrupted: then it stays as it is.
  const done = await app.dispatch({ type: isCut ? 'session.interrupt' : 'session.fail', id, reason }, system)
  const session = done.ok ? null : await app.read.session(systemViewer, id)
  const known = session?.ok && hasEnded(session.value.status) ? overtaken : isCut ? lost : fault
  return { fault: { ...known, details: { ...known.details, sessionId: id } }, hasFailed: done.ok && !isCut }
}

const lost: Fault = {
  kind: 'unavailable',
  code: 'keeper_gone',
  message: 'The keeper ended before the agent was ready.',
  hint: 'Recover the session to start a new keeper for it.',
}

const overtaken: Fault = {
  kind: 'conflict',
  code: 'start_cancelled',
  message: 'The session was ended before its agent was ready.',
}
