import type { ToolVerdict } from '../../client/tool-verdict.ts'
import type { ToolEvent } from './event.ts'

/** What Claude Code reads on standard output. Null: no output, so its own rules apply. */
export type HookOutput = Readonly<Record<string, unknown>> | null

export function outputOf(event: Pick<ToolEvent, 'hook_event_name'>, verdict: ToolVerdict, strict: boolean): HookOutput {
  const decision = verdict.decision === 'open' && strict ? 'deny' : verdict.decision
  const { why, stop = false } = verdict
  return event.hook_event_name === 'PreToolUse' ? beforeUse(decision, why, stop) : onRequest(decision, why, stop)
}

/** Without output, Claude Code's own rules could allow it. If nobody decided, it asks at its terminal. */
const beforeUse = (decision: ToolVerdict['decision'], why: string, stop: boolean): HookOutput => ({
  ...(stop && { continue: false, stopReason: why }),
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: decision === 'open' ? 'ask' : decision,
    permissionDecisionReason: why,
  },
})

/** Claude Code is asking already; without output it keeps asking. */
function onRequest(decision: ToolVerdict['decision'], why: string, stop: boolean): HookOutput {
  if (decision === 'open') return null
  return {
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision:
        decision === 'allow'
          ? { behavior: 'allow' }
          : { behavior: 'deny', message: why, ...(stop && { interrupt: true }) },
    },
  }
}
