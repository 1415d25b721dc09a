import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../../test/support/fake-clock.ts'
import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { iso } from '../../../lib/clock.ts'
import { newRandomId } from '../../../lib/id.ts'
import { silentLogger } from '../../../lib/log.ts'
import { createIdleWatch } from './idle-watch.ts'
import { freshNotes, type Recorder } from '../transcript/recorder.ts'

const minute = 60_000

function setUp(heardAgo: number | null = 0, sleep: { sleepMs: number; canSleep: boolean } | null = null) {
  const clock = fakeClock()
  const done: unknown[] = []
  const facts = { active: true, held: 0, next: false, looks: 0, sleeps: true }
  const notes = { ...freshNotes, heardAt: heardAgo === null ? null : iso(clock.now() - heardAgo) }
  const app = {
    async dispatch(command: unknown) {
      done.push(command)
      return { ok: facts.sleeps }
    },
    read: {
      headOfQueue: async () => {
        facts.looks += 1
        return { sent: undefined, next: facts.next ? {} : undefined }
      },
    },
  } as unknown as App
  const watch = createIdleWatch({
    app,
    clock,
    sessionId: newRandomId<SessionId>(),
    recorder: { notes, held: () => Array.from({ length: facts.held }) } as unknown as Recorder,
    sleepMs: sleep?.sleepMs ?? null,
    canSleep: () => sleep?.canSleep ?? false,
    idleMs: minute,
    log: silentLogger,
    isActive: () => facts.active,
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { watch, facts, notes, done, pass, clock }
}

describe('a session with nothing to do', () => {
  it('is completed after a while, not before', async () => {
    const { watch, done, pass } = setUp()
    watch.start()
    await pass(minute - 1)
    expect(done).toEqual([])
    await pass(1)
    expect(done).toMatchObject([{ type: 'session.complete', reason: 'idle_timeout' }])
  })

  it('A11 is put to sleep instead if that comes first and it can resume', async () => {
    const { watch, done, pass } = setUp(0, { sleepMs: minute / 2, canSleep: true })
    watch.start()
    await pass(minute / 2 - 1)
    expect(done).toEqual([])
    await pass(1)
    expect(done).toMatchObject([{ type: 'session.sleep', why: 'idle' }])
    await pass(5 * minute)
    expect(done).toHaveLength(1)
    const forgetful = setUp(0, { sleepMs: minute / 2, canSleep: false })
    forgetful.watch.start()
    await forgetful.pass(minute)
    expect(forgetful.done).toMatchObject([{ type: 'session.complete' }])
  })

  it('R4 is tried again later if it may not sleep yet', async () => {
    const { watch, done, facts, pass } = setUp(0, { sleepMs: minute / 2, canSleep: true })
    facts.sleeps = false
    watch.start()
    await pass(minute / 2)
    facts.sleeps = true
    await pass(minute / 2)
    expect(done).toMatchObject([{ type: 'session.sleep' }, { type: 'session.sleep' }])
  })

  it('counts from the last output before a restart', async () => {
    const { watch, done, pass } = setUp(10 * minute)
    watch.start()
    await pass(1000)
    expect(done).toHaveLength(1)
  })

  it('is not idle while the agent sends output, nor right after someone acted on it', async () => {
    const { watch, done, notes, clock, pass } = setUp()
    watch.start()
    await pass(minute - 1)
    notes.heardAt = iso(clock.now())
    await pass(minute - 1)
    watch.touch()
    await pass(minute - 1)
    expect(done).toEqual([])
    await pass(minute)
    expect(done).toHaveLength(1)
  })

  it('stays while the watch is stopped, the session is not active, or a turn runs', async () => {
    const stopped = setUp()
    stopped.watch.start()
    stopped.watch.stop()
    const paused = setUp()
    paused.facts.active = false
    paused.watch.start()
    const working = setUp()
    working.watch.start()
    working.notes.turn = { itemId: 'i', startedAt: iso(working.clock.now()), cancelled: false }
    for (const { pass, done } of [stopped, paused, working]) {
      await pass(5 * minute)
      expect(done).toEqual([])
    }
  })

  it.each(['held', 'next'] as const)('stays while something waits (%s), and is checked again in time', async (what) => {
    const { watch, facts, done, pass } = setUp(10 * minute)
    if (what === 'held') facts.held = 1
    else facts.next = true
    watch.start()
    await pass(100)
    for (let second = 0; second < 59; second += 1) await pass(1000)
    expect(facts.looks).toBe(1)
    facts.held = 0
    facts.next = false
    await pass(minute)
    expect(done).toHaveLength(1)
  })
})
