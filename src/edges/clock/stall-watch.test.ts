import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import type { App } from '../../app/app.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { startStallWatch } from './stall-watch.ts'

const second = 1000
const settings = {
  enabled: true,
  inactivityMs: 300 * second,
  escalationMs: 120 * second,
  maxRetries: 3,
  message: 'go on',
}
const nothing = { raise: [] as object[], steps: [] as object[], nextAt: null as number | null, alerted: [] as string[] }
type Heard = { type: string; sessionId: string; data: object }

/** A fake core that says what is due, and accepts or refuses commands. */
function setUp() {
  const clock = fakeClock()
  const core = { work: { ...nothing }, fails: false, refuses: null as string | null, looks: 0, done: [] as string[] }
  let listener: (events: readonly Heard[]) => void = () => {}
  const app = {
    read: {
      stallWork: async () => {
        core.looks += 1
        if (core.fails) throw new Error('the database is away')
        return core.work
      },
    },
    dispatch: async ({ type }: { type: string }) => {
      core.done.push(type)
      if (core.refuses !== null) return { ok: false, fault: { kind: core.refuses, code: 'no', message: 'No.' } }
      core.work = { ...nothing }
      return { ok: true }
    },
    tail: {
      listen: (heard: typeof listener) => {
        listener = heard
        return { [Symbol.dispose]: () => void (listener = () => {}) }
      },
    },
  } as unknown as App
  const watch = startStallWatch({ app, clock, log: silentLogger, settings: () => settings })
  const pass = async (ms: number) => {
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
    await watch.settled()
  }
  return { clock, core, watch, pass, hear: (event: Heard) => listener([event]) }
}

const due = () => ({ ...nothing, raise: [{ sessionId: newRandomId(), cause: 'silent' }] })

describe('the stall watch', () => {
  it('checks when something is due, and no later than the inactivity time', async () => {
    const { clock, core, watch, pass } = setUp()
    core.work = { ...nothing, nextAt: clock.now() + 42 * second }
    await pass(0)
    expect(clock.timers()).toEqual([clock.now() + 42 * second])
    core.work = { ...nothing }
    await pass(42 * second)
    expect(clock.timers()).toEqual([clock.now() + 300 * second])
    await watch[Symbol.asyncDispose]()
    expect(clock.timers()).toEqual([])
  })

  it('turns each step into its command', async () => {
    const { core, watch, pass } = setUp()
    const steps = ['nudge', 'escalate', 'recover', 'lapse'].map((step) => ({ id: newId(), step }))
    core.work = { ...nothing, steps, raise: due().raise }
    await pass(0)
    expect(core.done).toEqual(['alert.raise', 'alert.nudge', 'alert.escalate', 'alert.recover', 'alert.lapse'])
    await watch[Symbol.asyncDispose]()
  })

  it('tries again later if it can’t read or can’t act', async () => {
    const { clock, core, watch, pass } = setUp()
    core.fails = true
    await pass(0)
    expect(clock.timers()).toEqual([clock.now() + 5 * second])
    core.fails = false
    core.refuses = 'unavailable'
    core.work = due()
    await pass(5 * second)
    expect(clock.timers()).toEqual([clock.now() + 5 * second])
    core.refuses = null
    await pass(5 * second)
    expect(core.done).toHaveLength(2)
    await watch[Symbol.asyncDispose]()
  })

  it('does not spin over what is refused', async () => {
    const { clock, core, watch, pass } = setUp()
    core.refuses = 'conflict'
    core.work = due()
    await pass(0)
    await pass(0)
    expect(core.done).toHaveLength(1)
    expect(clock.timers()).toEqual([clock.now() + 5 * second])
    await watch[Symbol.asyncDispose]()
  })

  it('checks at once when something happens in a session with an alert, and only then', async () => {
    const { core, watch, pass, hear } = setUp()
    const [alerted, other] = [newRandomId<string>(), newRandomId<string>()]
    core.work = { ...nothing, alerted: [alerted] }
    await pass(0)
    expect(core.looks).toBe(1)
    hear({ type: 'session.status_changed', sessionId: other, data: {} })
    await pass(0)
    expect(core.looks).toBe(1)
    hear({ type: 'session.status_changed', sessionId: alerted, data: {} })
    await pass(0)
    expect(core.looks).toBe(2)
    await watch[Symbol.asyncDispose]()
  })

  it('acts in time on an alert that another server raised', async () => {
    const { clock, watch, pass, hear } = setUp()
    await pass(0)
    const nextAt = new Date(clock.now() + 120 * second).toISOString()
    hear({ type: 'alert.raised', sessionId: newRandomId(), data: { nextAt } })
    expect(clock.timers()).toEqual([clock.now() + 120 * second])
    await watch[Symbol.asyncDispose]()
  })

  it('does nothing once it is stopped', async () => {
    const { clock, core, watch, pass } = setUp()
    await pass(0)
    await watch[Symbol.asyncDispose]()
    core.work = due()
    await pass(900 * second)
    expect(core.done).toEqual([])
    expect(clock.timers()).toEqual([])
  })
})
