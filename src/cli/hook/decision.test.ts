import { describe, expect, it } from 'vitest'
import { outputOf } from './decision.ts'

const before = { hook_event_name: 'PreToolUse' } as const
const request = { hook_event_name: 'PermissionRequest' } as const

describe('what Claude Code is told', () => {
  it('before a use: the decision and why', () => {
    expect(outputOf(before, { decision: 'deny', why: 'Not now.' }, false)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Not now.',
      },
    })
  })

  it('before a use nobody decided about: to ask at its terminal, whatever its own rules allow', () => {
    const output = outputOf(before, { decision: 'open', why: 'Nobody decided in time.' }, false)
    expect(output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } })
  })

  it('on a request: yes, or no with the reason, or nothing where nobody decided', () => {
    const decided = (decision: 'allow' | 'deny' | 'open') => outputOf(request, { decision, why: 'Why.' }, false)
    expect(decided('allow')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    })
    expect(decided('deny')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'Why.' } },
    })
    expect(decided('open')).toBeNull()
  })

  it.each([before, request])('no, where nobody decided and it is strict: $hook_event_name', (event) => {
    expect(JSON.stringify(outputOf(event, { decision: 'open', why: 'Nobody.' }, true))).toContain('"deny"')
  })

  it('to stop altogether, where its session was stopped', () => {
    const verdict = { decision: 'deny', why: 'Stopped.', stop: true } as const
    expect(outputOf(before, verdict, false)).toMatchObject({ continue: false, stopReason: 'Stopped.' })
    expect(outputOf(request, verdict, false)).toMatchObject({ hookSpecificOutput: { decision: { interrupt: true } } })
  })
})
