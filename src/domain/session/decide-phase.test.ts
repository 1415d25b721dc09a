import { describe, expect, it } from 'vitest'
import { sessionState } from '../../../test/support/session-state.ts'
import { iso } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { AskId } from '../ask/id.ts'
import type { MessageId } from '../message/schema.ts'
import type { AgentGroupId } from '../user/id.ts'
import { decidePhase, type HostedFacts } from './decide-phase.ts'
import type { SessionFacts } from './decide.ts'
import { activityOf, crashesSoFar, restartDelay } from './phase.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')
const facts: SessionFacts = {
  now,
  slots: { taken: 2, limit: 3 },
  containers: { taken: 1, limit: 4, queued: 0 },
  noteId: newId<MessageId>(),
  by: 'system:acp',
}
const crowded: SessionFacts = { ...facts, slots: { taken: 3, limit: 3 } }

type State = NonNullable<Parameters<typeof decidePhase>[0]>
const state = (more: Partial<State> = {}): State => ({
  ...sessionState({ protocolMode: 'acp', isolation: 'sandbox' }),
  phaseSince: null,
  agentGroupId: null,
  ...more,
})

const hosted = (more: Partial<HostedFacts> = {}): HostedFacts => ({
  about: { agentSessionId: 'c1', capabilities: { loadSession: true }, turnless: false },
  crashes: 0,
  crashedAt: null,
  sent: undefined,
  waiting: false,
  restartAll: false,
  ...more,
})

const outcome = (decided: ReturnType<typeof decidePhase>): string[] =>
  decided.ok
    ? decided.value.map((change) =>
        change.type === 'session.phase_changed' ? `${change.data.to} ${change.data.slots}` : change.type,
      )
    : [decided.fault.code]

const sleep = (session: State, agent = hosted(), moment = facts) =>
  outcome(
    decidePhase(session, agent, { type: 'session.sleep', id: session.id, why: 'slot_needed', onWake: null }, moment),
  )

const exit = (session: State, agent: HostedFacts, how: 'clean' | 'crashed' | 'unstarted' = 'crashed') =>
  decidePhase(session, agent, { type: 'session.exit', id: session.id, what: 'it fell', how }, facts)

const someGroup = newId<AgentGroupId>()

describe('sleep', () => {
  it('R4 needs an active agent with nothing open that can resume its conversation', () => {
    expect(sleep(state())).toEqual(['asleep 1'])
    expect(sleep(state({ agentPhase: 'asleep' }))).toEqual([])
    expect(sleep(state({ openAsks: [newId<AskId>()] }))).toEqual(['session_busy'])
    expect(sleep(state(), hosted({ waiting: true }))).toEqual(['session_busy'])
    expect(sleep(state({ agentPhase: 'waking' }))).toEqual(['session_busy'])
    expect(sleep(state({ status: 'paused' }))).toEqual(['session_busy'])
    expect(sleep(state({ status: 'error' }))).toEqual(['session_ended'])
    expect(sleep(state({ protocolMode: 'mcp' }))).toEqual(['not_hosted'])
    const about = { agentSessionId: 'c1', capabilities: {}, turnless: false }
    expect(sleep(state(), hosted({ about }))).toEqual(['cannot_resume'])
    expect(sleep(state(), hosted({ about: { ...hosted().about, turnless: true } }))).toEqual(['session_busy'])
  })

  it('R4 waking takes a slot, and a container if it runs in one', () => {
    const wake = (session: State, moment: SessionFacts) =>
      outcome(decidePhase(session, hosted(), { type: 'session.wake', id: session.id }, moment))
    const asleep = state({ agentPhase: 'asleep' })
    expect(wake(asleep, facts)).toEqual(['waking 3'])
    expect(wake(asleep, crowded)).toEqual(['session_limit'])
    expect(wake(state(), crowded)).toEqual([])
    const noContainer = { ...facts, containers: { taken: 4, limit: 4, queued: 0 } }
    expect(wake(asleep, noContainer)).toEqual(['waking 3'])
    expect(wake({ ...asleep, isolation: 'container' }, noContainer)).toEqual(['container_limit'])
    expect(wake(state({ agentPhase: 'queued', status: 'created', isolation: 'container' }), facts)).toEqual([
      'waking 3',
    ])
  })

  it('C9 a process that was started before the last restart does not count', () => {
    const session = state({ agentPhase: 'waking', phaseSince: iso(now) })
    const awake = (since: string) =>
      outcome(decidePhase(session, hosted(), { type: 'session.awake', id: session.id, since }, facts))
    expect(awake(iso(now - 1))).toEqual(['not_waking'])
    expect(awake(iso(now))).toEqual(['awake 2'])
  })
})

describe('crashes', () => {
  it('A9 end a session that a person started, and restart the agent of a group', () => {
    expect(outcome(exit(state(), hosted()))).toEqual(['session.status_changed', 'message.added'])
    const served = exit(state({ agentGroupId: someGroup }), hosted())
    expect(outcome(served)).toEqual(['agent.crashed', 'waking 2', 'message.added'])
    const forgetful = hosted({ about: { agentSessionId: 'c1', capabilities: {}, turnless: false } })
    expect(outcome(exit(state({ agentGroupId: someGroup }), forgetful))[0]).toBe('session.status_changed')
  })

  it('A9 are restarted after 1, 5, 30, 120 and 120 seconds; then the session ends with an error', () => {
    expect([0, 1, 2, 3, 4, 5].map(restartDelay)).toEqual([1000, 5000, 30_000, 120_000, 120_000, null])
    const wakes = [0, 1, 2, 3, 4, 5].map((crashes) => {
      const crashedAt = crashes === 0 ? null : iso(now - 1000)
      const decided = exit(state(), hosted({ crashes, crashedAt, restartAll: true }))
      const change = decided.ok && decided.value.find(({ type }) => type === 'session.phase_changed')
      return change && change.type === 'session.phase_changed' ? Date.parse(change.data.wakeAt ?? '') - now : null
    })
    expect(wakes).toEqual([1000, 5000, 30_000, 120_000, 120_000, null])
  })

  it('A9 are forgotten after a good hour', () => {
    const hour = 60 * 60 * 1000
    expect(crashesSoFar({ crashes: 4, crashedAt: iso(now - hour) }, now)).toBe(4)
    expect(crashesSoFar({ crashes: 4, crashedAt: iso(now - hour - 1) }, now)).toBe(0)
  })

  it('R4 of a process that was to end anyway change nothing', () => {
    for (const agentPhase of ['asleep', 'waking', 'queued'] as const)
      expect(outcome(exit(state({ agentPhase }), hosted()))).toEqual([])
    expect(outcome(exit(state({ agentPhase: 'waking' }), hosted(), 'unstarted'))[0]).toBe('session.status_changed')
    expect(outcome(exit(state({ agentPhase: 'awake' }), hosted(), 'unstarted'))).toEqual([])
  })

  it('A9 an agent that leaves in order completes its session; one of a group sleeps', () => {
    expect(outcome(exit(state(), hosted(), 'clean'))).toEqual(['session.status_changed'])
    expect(outcome(exit(state({ agentGroupId: someGroup }), hosted(), 'clean'))).toEqual(['asleep 1'])
  })
})

it('R4 the activity of a session', () => {
  const doing = (more: Partial<Parameters<typeof activityOf>[0]>) =>
    activityOf({ status: 'active', phase: 'awake', protocolMode: 'acp', waiting: false, inTurn: false, ...more })
  expect(doing({})).toBe('idle')
  expect(doing({ inTurn: true })).toBe('working')
  expect(doing({ inTurn: true, waiting: true })).toBe('needs_you')
  expect(doing({ phase: 'asleep' })).toBe('asleep')
  expect(doing({ phase: 'waking' })).toBe('working')
  expect(doing({ phase: 'queued', status: 'created' })).toBe('queued')
  expect(doing({ phase: 'queued', status: 'cancelled' })).toBe(null)
  expect(doing({ status: 'paused' })).toBe(null)
})
