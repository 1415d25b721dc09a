import type { SessionId } from '../../../domain/session/id.ts'
import type { Exit } from '../../../keeper-client/client.ts'
import { isLate, lateText, type Late } from '../../../lib/patience.ts'
import type { Failed, Fault } from '../../../lib/result.ts'

/** Note for a turn that ended abnormally. */
export const stopText = (reason: string | undefined): string | null => {
  switch (reason) {
    case 'max_tokens':
      return 'The agent stopped: its answer reached the token limit.'
    case 'max_turn_requests':
      return 'The agent stopped: it reached the limit of model requests per turn.'
    case 'refusal':
      return 'The agent refuses to continue.'
    default:
      return null
  }
}

/** Why the agent exited, with the end of its stderr. */
export const exitText = ({ code, signal }: Exit, stderr: string): string =>
  `the agent exited ${signal === null ? `with code ${code ?? 'unknown'}` : `on ${signal}`}.${stderrTail(stderr)}`

export const stderrTail = (stderr: string): string => {
  const lines = stderr.trimEnd().split('\n').slice(-10).join('\n').slice(-1500)
  return lines.trim() === '' ? '' : `\nLast lines of its stderr:\n${lines}`
}

/** The fault for an agent that did not start. */
export function startFaultOf(
  sessionId: SessionId,
  seen: { exit: Exit | null; why: Late | Failed; stderr: string; startupMs: number },
): Fault {
  const { exit, why, stderr, startupMs } = seen
  const fault = isLate(why) ? null : why.fault
  const message = exit
    ? exitText(exit, stderr)
    : isLate(why)
      ? `The agent did not answer ${lateText(why, startupMs)}.${stderrTail(stderr)}`
      : why.fault.message
  const authMethods = fault?.details?.['authMethods']
  return {
    kind: 'unavailable',
    code: 'agent_failed',
    message,
    ...(fault?.hint && { hint: fault.hint }),
    details: { sessionId, ...(authMethods !== undefined && { authMethods }) },
  }
}
