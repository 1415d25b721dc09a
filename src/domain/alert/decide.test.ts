import { describe, expect, it } from 'vitest'
import { iso } from '../../lib/clock.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import type { MessageId } from '../message/schema.ts'
import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import { decideAlert, type AlertFacts, type AlertGround } from './decide.ts'
import type { AlertCommand, AlertId } from './schema.ts'
import type { AlertState, Watched } from './stall.ts'

const start = Date.parse('2030-01-01T00:00:00.000Z')
const minutes = (count: number) => count * 60_000
const at = (minute: number) => iso(start + minutes(minute))

const sessionId = newRandomId<SessionId>()
const id = newId<AlertId>()
const itemId = newId<QueueItemId>()
const noteId = newId<MessageId>()

const session = (more: Partial<Watched> = {}): Watched => ({
  id: sessionId,
  status: 'active',
  protocolMode: 'mcp',
  connectivityStatus: 'stalled',
  lastActivityAt: at(0),
  lastTool: 'grep',
  progressAt: at(0),
  stallFrom: null,
  stallPaused: false,
  stallPausedUntil: null,
  waits: false,
  inTurn: true,
  ...more,
})
const alert = (more: Partial<AlertState> = {}): AlertState => ({
  id,
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
const facts = (more: Partial<AlertFacts> = {}): AlertFacts => ({
  session: session(),
  alert: alert(),
  latest: alert(),
  waitingNudges: [],
  ...more,
})
const rules = { enabled: true, inactivityMs: minutes(5), escalationMs: minutes(2), maxRetries: 3, message: 'go on' }
const clock = (minute: number, more: Partial<AlertGround> = {}): AlertGround => ({
  now: start + minutes(minute),
  by: 'system:watchdog',
  automatic: true,
  noteId,
  rules,
  ...more,
})
const person = (minute: number) => clock(minute, { by: 'user:ann', automatic: false })

const commands = {
  raise: { type: 'alert.raise', id, sessionId, cause: 'silent' },
  nudge: { type: 'alert.nudge', id, itemId, message: null },
  escalate: { type: 'alert.escalate', id },
  dismiss: { type: 'alert.dismiss', id },
  recover: { type: 'alert.recover', id },
  lapse: { type: 'alert.lapse', id },
} satisfies Record<string, AlertCommand>

const decided = (found: AlertFacts, command: AlertCommand, ground: AlertGround) => {
  const result = decideAlert(found, command, ground)
  if (!result.ok) throw new Error(result.fault.code)
  return result.value
}
const refusal = (found: AlertFacts, command: AlertCommand, ground: AlertGround) => {
  const result = decideAlert(found, command, ground)
  return result.ok ? 'done' : result.fault.code
}

describe('an alert is raised', () => {
  const calm = (more: Partial<Watched> = {}) =>
    facts({ alert: undefined, latest: undefined, session: session({ connectivityStatus: 'online', ...more }) })

  it('after the time of silence, with what was known, and the session is stalled', () => {
    expect(decided(calm(), commands.raise, clock(5))).toMatchObject([
      {
        type: 'alert.raised',
        data: { cause: 'silent', lastTool: 'grep', lastActivityAt: at(0), idleSeconds: 300, nextAt: at(7) },
      },
      {
        type: 'message.added',
        data: { id: noteId, role: 'system' },
        body: { text: expect.stringContaining('5 minutes') },
      },
      { type: 'session.connectivity_changed', data: { to: 'stalled' } },
    ])
  })

  it('with the whole duration, if nobody checked for a long time', () => {
    expect(decided(calm(), commands.raise, clock(60))).toMatchObject([
      { data: { idleSeconds: 3600, nextAt: at(62) } },
      {},
      {},
    ])
  })

  it('for lack of progress too, even if the agent is online throughout', () => {
    const beating = calm({ lastActivityAt: at(15) })
    const raise = { ...commands.raise, cause: 'no_progress' as const }
    expect(decided(beating, raise, clock(15))).toMatchObject([
      { type: 'alert.raised', data: { cause: 'no_progress', idleSeconds: 900, lastActivityAt: at(15) } },
      { type: 'message.added' },
    ])
    expect(refusal(beating, raise, clock(14))).toBe('not_stalled')
    expect(refusal(beating, commands.raise, clock(15))).toBe('not_stalled')
  })

  it('never too early, nor while the clock is stopped, nor with detection off', () => {
    expect(refusal(calm(), commands.raise, clock(4.99))).toBe('not_stalled')
    expect(refusal(calm({ waits: true }), commands.raise, clock(60))).toBe('not_stalled')
    expect(refusal(calm({ status: 'paused' }), commands.raise, clock(60))).toBe('not_stalled')
    expect(refusal(calm(), commands.raise, clock(60, { rules: { ...rules, enabled: false } }))).toBe('not_stalled')
  })

  it('once: not beside an open one, and not after a dismissal without activity since', () => {
    expect(refusal({ ...calm(), latest: alert() }, commands.raise, clock(60))).toBe('alert_active')
    const escalated = alert({ status: 'escalated', nextAt: null })
    expect(refusal({ ...calm(), latest: escalated }, commands.raise, clock(60))).toBe('alert_active')
    const dismissed = alert({ status: 'dismissed', closedAt: at(6), closedBy: 'user:ann' })
    expect(refusal({ ...calm(), latest: dismissed }, commands.raise, clock(60))).toBe('alert_dismissed')
    const lively = { ...calm({ lastActivityAt: at(20), progressAt: at(20) }), latest: dismissed }
    expect(refusal(lively, commands.raise, clock(24))).toBe('not_stalled')
    expect(refusal(lively, commands.raise, clock(25))).toBe('done')
    expect(refusal(facts(), commands.raise, clock(60))).toBe('alert_exists')
    expect(refusal({ ...calm(), session: undefined }, commands.raise, clock(60))).toBe('session_not_found')
  })
})

describe('a nudge', () => {
  it('from the clock comes when it is due, into the queue, before everything else', () => {
    expect(decided(facts(), commands.nudge, clock(7))).toMatchObject([
      { type: 'alert.nudged', data: { nudge: 1, itemId, automatic: true, nextAt: at(9) }, body: null },
      { type: 'message.added', data: { role: 'system' } },
      { type: 'queue.added', data: { id: itemId, when: 'now', by: 'system:watchdog' }, body: 'go on' },
    ])
    expect(refusal(facts(), commands.nudge, clock(6.99))).toBe('not_due')
  })

  it('that is late delays the next one by the usual interval', () => {
    expect(decided(facts(), commands.nudge, clock(60))[0]).toMatchObject({ data: { nextAt: at(62) } })
  })

  it('replaces an earlier one the agent did not get', () => {
    const earlier = newId<QueueItemId>()
    const changes = decided(facts({ waitingNudges: [earlier] }), commands.nudge, clock(7))
    expect(changes).toContainEqual(
      expect.objectContaining({ type: 'queue.dropped', data: expect.objectContaining({ id: earlier }) }),
    )
  })

  it('from the clock is refused after activity, while waiting for a person, and when none are left', () => {
    expect(refusal(facts({ session: session({ lastActivityAt: at(6) }) }), commands.nudge, clock(7))).toBe(
      'there_was_life',
    )
    expect(refusal(facts({ session: session({ waits: true }) }), commands.nudge, clock(7))).toBe('not_nudgeable')
    expect(refusal(facts({ session: session({ stallPaused: true }) }), commands.nudge, clock(7))).toBe('not_watched')
    expect(refusal(facts({ alert: alert({ nudgeCount: 3 }) }), commands.nudge, clock(7))).toBe('no_more_nudges')
  })

  it('from a person can come at any time, in their own words, which are kept', () => {
    const own = { ...commands.nudge, message: 'try without the cache' }
    expect(decided(facts(), own, person(6))).toMatchObject([
      { type: 'alert.nudged', data: { automatic: false, nextAt: at(8) }, body: 'try without the cache' },
      { type: 'message.added' },
      { type: 'queue.added', data: { by: 'user:ann' }, body: 'try without the cache' },
    ])
    expect(decided(facts(), commands.nudge, person(6))).toMatchObject([{ body: null }, {}, { body: 'go on' }])
  })

  it('from a person also helps after the escalation, which is not repeated', () => {
    const escalated = facts({ alert: alert({ status: 'escalated', nudgeCount: 3, nextAt: null }) })
    expect(decided(escalated, commands.nudge, person(20))[0]).toMatchObject({ data: { nudge: 4, nextAt: null } })
    expect(refusal(escalated, commands.nudge, clock(20))).toBe('not_due')
  })

  it.each(['paused', 'interrupted', 'completed'] as const)('is refused in a session that is %s', (status) => {
    expect(refusal(facts({ session: session({ status }) }), commands.nudge, person(6))).toBe('not_nudgeable')
  })
})

describe('an escalation', () => {
  const nudged = (more: Partial<AlertState> = {}) =>
    facts({ alert: alert({ status: 'nudged', nudgeCount: 3, nextAt: at(13), ...more }) })

  it('comes after the last nudge, and notifies the whole channel', () => {
    expect(decided(nudged(), commands.escalate, clock(13))).toMatchObject([
      { type: 'alert.escalated', data: { nudges: 3, mention: 'channel', messageId: noteId } },
      { type: 'message.added', data: { role: 'system' } },
    ])
  })

  it('does not come too early, while nudges are left, after activity, or twice', () => {
    expect(refusal(nudged(), commands.escalate, clock(12.99))).toBe('not_due')
    expect(refusal(nudged({ nudgeCount: 2 }), commands.escalate, clock(13))).toBe('nudges_left')
    const back = { ...nudged(), session: session({ lastActivityAt: at(12) }) }
    expect(refusal(back, commands.escalate, clock(13))).toBe('there_was_life')
    expect(refusal(nudged({ status: 'escalated', nextAt: null }), commands.escalate, clock(20))).toBe(
      'already_escalated',
    )
  })

  it('replaces the first nudge if none are configured', () => {
    const none = { ...rules, maxRetries: 0 }
    expect(refusal(facts(), commands.escalate, clock(7, { rules: none }))).toBe('done')
    expect(refusal(facts(), commands.nudge, clock(7, { rules: none }))).toBe('no_more_nudges')
  })
})

describe('an alert is closed', () => {
  it('by a person, together with the pending nudge', () => {
    const waiting = newId<QueueItemId>()
    expect(decided(facts({ waitingNudges: [waiting] }), commands.dismiss, person(6))).toMatchObject([
      { type: 'alert.dismissed', data: { by: 'user:ann' } },
      { type: 'message.added' },
      { type: 'queue.dropped', data: { id: waiting } },
      { type: 'session.connectivity_changed', data: { to: 'online' } },
    ])
  })

  it('by activity', () => {
    expect(refusal(facts(), commands.recover, clock(6))).toBe('no_life')
    const back = facts({ session: session({ lastActivityAt: at(6) }) })
    expect(decided(back, commands.recover, clock(6))).toMatchObject([
      { type: 'alert.recovered', data: { id, sessionId } },
      { type: 'message.added' },
      { type: 'session.connectivity_changed', data: { to: 'online' } },
    ])
  })

  it('if it no longer matters, with the reason', () => {
    expect(refusal(facts(), commands.lapse, clock(6))).toBe('still_watched')
    expect(decided(facts({ session: session({ waits: true }) }), commands.lapse, clock(6))).toMatchObject([
      { type: 'alert.lapsed', data: { why: 'it is waiting for a person' } },
      { data: { to: 'online' } },
    ])
    expect(decided(facts({ session: session({ status: 'error' }) }), commands.lapse, clock(6))).toMatchObject([
      { type: 'alert.lapsed', data: { why: 'the session is error' } },
      { data: { to: 'offline' } },
    ])
  })

  it('once: later attempts are told', () => {
    for (const status of ['self_recovered', 'dismissed', 'escalated'] as const) {
      const over = facts({ alert: alert({ status, closedAt: at(6) }) })
      for (const command of [commands.nudge, commands.escalate, commands.dismiss, commands.recover, commands.lapse])
        expect(refusal(over, command, person(7))).toBe('alert_closed')
    }
    expect(refusal(facts({ alert: undefined }), commands.dismiss, person(7))).toBe('alert_not_found')
  })
})
