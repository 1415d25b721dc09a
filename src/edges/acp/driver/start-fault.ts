import type { SessionId } from '../../../domain/session/id.ts'
import type { Exit } from '../../../keeper-client/client.ts'
import type { Fault } from '../../../lib/result.ts'
import { exitText, stderrTail } from '../transcript/words.ts'

/** What whoever started an agent is told when it did not get to work. */
export function startFaultOf(
  sessionId: SessionId,
  seen: { exit: Exit | null; fault: Fault | null; stderr: string; waitedMs: number },
): Fault {
  const { exit, fault, stderr, waitedMs } = seen
  const waited = Math.round(waitedMs / 1000)
  const message = exit
    ? exitText(exit, stderr)
    : (fault?.message ?? `The agent did not answer within ${waited} seconds.${stderrTail(stderr)}`)
  const authMethods = fault?.details?.['authMethods']
  return {
    kind: 'unavailable',
    code: 'agent_failed',
    message,
    ...(fault?.hint && { hint: fault.hint }),
    details: { sessionId, ...(authMethods !== undefined && { authMethods }) },
  }
}
