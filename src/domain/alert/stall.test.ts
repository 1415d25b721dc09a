import { describe, expect, it } from 'vitest'
import { iso } from '../../lib/clock.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import type { AlertId, StallSettings } from './schema.ts'
import { clockStart, isUnwanted, stallDue, stepOf, unwatched, type AlertState, type Watched } from './stall.ts'

const start = Date.parse('2030-01-01T00:00:00.000Z')
const minutes = (count: number) => count * 60_000
const at = (minute: number) => iso(start + minutes(minute))
const rules: StallSettings = {
  enabled: true,
  inactivityMs: minutes(5),
  escalationMs: minutes(2),
  maxRetries: 3,
  message: 'go on',
}
const sessionId = newRandomId<SessionId>()
const watched = (more: Partial<Watched> = {}): Watched => ({
  id: sessionId,
  status: 'active',
  protocolMode: 'mcp',
  connectivityStatus: 'online',
  lastActivityAt: at(0),
  lastTool: null,
  progressAt: at(0),
  stallFrom: null,
  stallPaused: false,
  stallPausedUntil: null,
  waits: false,
  inTurn: true,
  ...more,
})
/** Raised after five minutes; its first nudge is due after seven. */
const alertState = (more: Partial<AlertState> = {}): AlertState => ({
  id: newId<AlertId>(),
  sessionId,
  cause: 'silent',
  status: 'pending',
  nudgeCount: 0,
  nextAt: at(7),
  createdAt: at(5),
  closedAt: null,
  closedBy: null,
  ...more,
})

describe('the stall clock', () => {
  it.each<[string, Partial<Watched>, string | null]>([
    ['runs for an agent over MCP that is active', {}, null],
    ['runs for an agent over ACP in a turn', { protocolMode: 'acp', inTurn: true }, null],
    ['stops between turns', { protocolMode: 'acp', inTurn: false }, 'its turn is over'],
    ['stops between turns of an agent over MCP', { inTurn: false }, 'its turn is over'],
    ['stops while a person is asked', { waits: true }, 'it is waiting for a person'],
    ['stops in a paused session', { status: 'paused' }, 'the session is paused'],
    ['stops in a session that has ended', { status: 'completed' }, 'the session is completed'],
    ['does not run for terminals', { protocolMode: 'terminal' }, 'a terminal is not watched'],
    ['stops while detection is paused', { stallPaused: true }, 'stall detection is paused'],
    ['stops during a long operation', { stallPausedUntil: at(10) }, 'stall detection is paused'],
    ['stops while paused for a time', { stallPaused: true, stallPausedUntil: at(10) }, 'stall detection is paused'],
    ['runs again when that time is over', { stallPaused: true, stallPausedUntil: at(-1) }, null],
  ])('%s', (_name, more, why) => {
    expect(unwatched(watched(more), start)).toBe(why)
  })

  it('counts from the last activity, or from what restarted it', () => {
    expect(clockStart(watched(), 'silent')).toBe(start)
    expect(clockStart(watched({ stallFrom: at(60) }), 'silent')).toBe(start + minutes(60))
    expect(clockStart(watched({ stallFrom: at(-60) }), 'silent')).toBe(start)
    expect(clockStart(watched({ stallPausedUntil: at(30) }), 'silent')).toBe(start + minutes(30))
  })

  it('is due after the time of silence', () => {
    expect(stallDue(watched(), rules)).toEqual({ at: start + minutes(5), cause: 'silent' })
  })

  it('is due three times later for one that only sends heartbeats', () => {
    const beating = watched({ lastActivityAt: at(14), progressAt: at(0) })
    expect(stallDue(beating, rules)).toEqual({ at: start + minutes(15), cause: 'no_progress' })
    expect(stallDue({ ...beating, progressAt: at(14) }, rules)).toEqual({ at: start + minutes(19), cause: 'silent' })
    // If the heartbeats stop before that, the cause is silence.
    expect(stallDue({ ...beating, lastActivityAt: at(4) }, rules)).toEqual({ at: start + minutes(9), cause: 'silent' })
  })
})

describe('a dismissed alert', () => {
  const dismissed = alertState({ status: 'dismissed', createdAt: at(5), closedAt: at(6), closedBy: 'user:ann' })

  it('does not return until there is activity again', () => {
    expect(isUnwanted(dismissed, watched(), 'silent')).toBe(true)
    expect(isUnwanted(dismissed, watched({ lastActivityAt: at(5) }), 'silent')).toBe(false)
  })

  it('does not return for lack of progress until there is progress, but may for silence', () => {
    const stuck = { ...dismissed, cause: 'no_progress' as const }
    const beating = watched({ lastActivityAt: at(8) })
    expect(isUnwanted(stuck, beating, 'no_progress')).toBe(true)
    expect(isUnwanted(stuck, beating, 'silent')).toBe(false)
    expect(isUnwanted(stuck, { ...beating, progressAt: at(8) }, 'no_progress')).toBe(false)
  })

  it('may return if nobody dismissed it', () => {
    expect(isUnwanted({ ...dismissed, closedBy: 'system:watchdog' }, watched(), 'silent')).toBe(false)
    expect(isUnwanted(alertState({ status: 'self_recovered', closedAt: at(6) }), watched(), 'silent')).toBe(false)
    expect(isUnwanted(undefined, watched(), 'silent')).toBe(false)
  })
})

describe('the next step of an alert', () => {
  const step = (more: Parameters<typeof alertState>[0], minute: number, session: Partial<Watched> = {}, off = false) =>
    stepOf(alertState(more), watched(session), { ...rules, enabled: !off }, start + minutes(minute))

  it('waits until it is due', () => {
    expect(step({}, 6.99)).toBe(null)
    expect(step({}, 7)).toBe('nudge')
    expect(step({ status: 'nudged', nudgeCount: 2 }, 7)).toBe('nudge')
  })

  it('is the escalation if no nudge is left', () => {
    expect(step({ status: 'nudged', nudgeCount: 3 }, 7)).toBe('escalate')
    expect(step({ status: 'escalated', nudgeCount: 3, nextAt: null }, 90)).toBe(null)
  })

  it('is its end if there was activity, or if it no longer matters', () => {
    expect(step({}, 6, { lastActivityAt: at(5) })).toBe('recover')
    expect(step({ status: 'escalated' }, 60, { lastActivityAt: at(59) })).toBe('recover')
    expect(step({ cause: 'no_progress' }, 6, { lastActivityAt: at(6) })).toBe(null)
    expect(step({ cause: 'no_progress' }, 6, { lastActivityAt: at(6), progressAt: at(6) })).toBe('recover')
    for (const session of [{ waits: true }, { status: 'cancelled' }, { stallPaused: true }] as const)
      expect(step({}, 6, session)).toBe('lapse')
    expect(step({ status: 'escalated', nextAt: null }, 60, { waits: true })).toBe(null)
    expect(step({ status: 'escalated' }, 60, { status: 'error' })).toBe('lapse')
  })

  it('is none if it is closed, or detection is off', () => {
    expect(step({ status: 'dismissed', closedAt: at(6) }, 60)).toBe(null)
    expect(step({}, 60, {}, true)).toBe(null)
  })
})
