import { describe, expect, it } from 'vitest'
import { outputOf } from './decision.ts'

const before = { hook_event_name: 'PreToolUse' } as const
const request = { hook_event_name: 'PermissionRequest' } as const

describe('the output for Claude Code', () => {
  it('before a use: the decision and why', () => {
    expect(outputOf(before, { decision: 'deny', why: 'Not now.' }, false)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Not now.',
      },
    })
  })

  it('before a use without a decision: ask at its terminal, whatever its own rules allow', () => {
    const output = outputOf(before, { decision: 'open', why: 'Nobody decided in time.' }, false)
    expect(output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } })
  })

  it('on a request: allow, or deny with the reason, or no output without a decision', () => {
    const decided = (decision: 'allow' | 'deny' | 'open') => outputOf(request, { decision, why: 'Why.' }, false)
    expect(decided('allow')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    })
    expect(decided('deny')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'Why.' } },
    })
    expect(decided('open')).toBeNull()
  })

  it.each([before, request])('deny without a decision if strict: $hook_event_name', (event) => {
    expect(JSON.stringify(outputOf(event, { decision: 'open', why: 'Nobody.' }, true))).toContain('"deny"')
  })

  it('stop, if its session was stopped', () => {
    const verdict = { decision: 'deny', why: 'Stopped.', stop: true } as const
    expect(outputOf(before, verdict, false)).toMatchObject({ continue: false, stopReason: 'Stopped.' })
    expect(outputOf(request, verdict, false)).toMatchObject({ hookSpecificOutput: { decision: { interrupt: true } } })
  })
})
