import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import type { App } from '../../app/app.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import type { Policies } from './policies.ts'
import { startPolicyReports } from './policy-reports.ts'

type Heard = { type: string; sessionId: string | null; data: object }

function setUp(file: { logAutoApproved: boolean; summaryIntervalSeconds: number } | null) {
  const clock = fakeClock()
  const told: { id: string; text: string }[] = []
  const core = { fails: false }
  let listener: (events: readonly Heard[]) => void = () => {}
  const app = {
    read: {
      session: async () => {
        if (core.fails) throw new Error('the database is away')
        return { ok: true, value: { workspaceRoot: '/work' } }
      },
      ask: async () => ({ ok: true, value: { title: 'Write the manual' } }),
    },
    dispatch: async ({ id, text }: { id: string; text: string }) => {
      told.push({ id, text })
      return { ok: true }
    },
    tail: {
      listen: (heard: typeof listener) => {
        listener = heard
        return { [Symbol.dispose]: () => void (listener = () => {}) }
      },
    },
  } as unknown as App
  const policies = { inForce: async () => ({ file }) } as unknown as Policies
  const reports = startPolicyReports({ app, policies, clock, log: silentLogger })
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const answered = async (sessionId: string | null, by: string, more: object = {}) => {
    listener([{ type: 'ask.answered', sessionId, data: { id: newId(), sessionId, automatic: true, by, ...more } }])
    await settle()
  }
  const pass = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await settle()
  }
  const hear = (sessionId: string, by: string) =>
    listener([{ type: 'ask.answered', sessionId, data: { id: newId(), sessionId, automatic: true, by } }])
  return { clock, core, told, reports, answered, hear, pass }
}

const quiet = { logAutoApproved: false, summaryIntervalSeconds: 300 }

describe('reports of automatic answers', () => {
  it('R19 each answer is reported with its rule if the policy says so', async () => {
    const { told, answered } = setUp({ ...quiet, logAutoApproved: true })
    const id = newRandomId<string>()
    await answered(id, 'policy:command:npm test')
    expect(told).toEqual([{ id, text: 'Answered by policy (command:npm test): Write the manual' }])
  })

  it('R19 they are summarised after the interval, most frequent rule first, per session', async () => {
    const { told, answered, pass } = setUp(quiet)
    const [one, other] = [newRandomId<string>(), newRandomId<string>()]
    await answered(one, 'policy:tool:a')
    await answered(one, 'policy:tool:b')
    await answered(one, 'policy:tool:b')
    await answered(other, 'policy:tool:a')
    await pass(299)
    expect(told).toEqual([])
    await pass(1)
    expect(told).toEqual([
      { id: one, text: 'Policy answered 3 asks for you: tool:b ×2, tool:a ×1' },
      { id: other, text: 'Policy answered 1 ask for you: tool:a ×1' },
    ])
    await pass(1000)
    expect(told).toHaveLength(2)
    await answered(one, 'policy:tool:a')
    await pass(300)
    expect(told).toHaveLength(3)
  })

  it('R19 many rules are named up to ten', async () => {
    const { told, answered, pass } = setUp(quiet)
    const id = newRandomId<string>()
    for (let n = 0; n < 13; n += 1) await answered(id, `policy:tool:t${n}`)
    await pass(300)
    expect(told[0]?.text).toContain('and 3 more rules')
  })

  it('answers by people, by the clock and for our own tools are not reported', async () => {
    const { told, answered, pass } = setUp({ ...quiet, logAutoApproved: true })
    const id = newRandomId<string>()
    await answered(id, 'user:1', { automatic: false })
    await answered(id, 'system:clock')
    await answered(id, 'policy:own-tool')
    await answered(null, 'policy:tool:a')
    await pass(300)
    expect(told).toEqual([])
  })

  it('a workspace without a policy file has confirmed rules, and no reports', async () => {
    const { told, answered, pass } = setUp(null)
    await answered(newRandomId(), 'policy:command:make')
    await pass(1000)
    expect(told).toEqual([])
  })

  it('counted answers are reported before the server stops', async () => {
    const { told, reports, answered } = setUp(quiet)
    await answered(newRandomId(), 'policy:tool:a')
    await reports[Symbol.asyncDispose]()
    expect(told).toMatchObject([{ text: 'Policy answered 1 ask for you: tool:a ×1' }])
  })

  it('answers that are not counted yet are reported too, once, and no timer is left', async () => {
    const { clock, told, reports, answered, hear } = setUp(quiet)
    const [one, other] = [newRandomId<string>(), newRandomId<string>()]
    await answered(one, 'policy:tool:a')
    hear(one, 'policy:tool:a')
    hear(other, 'policy:tool:b')
    await reports[Symbol.asyncDispose]()
    expect(told).toEqual([
      { id: one, text: 'Policy answered 2 asks for you: tool:a ×2' },
      { id: other, text: 'Policy answered 1 ask for you: tool:b ×1' },
    ])
    expect(clock.timers()).toEqual([])
  })

  it('a summary in progress when the server stops is sent once', async () => {
    const { clock, told, reports, answered } = setUp(quiet)
    await answered(newRandomId(), 'policy:tool:a')
    clock.advance(300_000)
    await reports[Symbol.asyncDispose]()
    expect(told).toMatchObject([{ text: 'Policy answered 1 ask for you: tool:a ×1' }])
  })

  it('an interval that ends while the server stops adds no report', async () => {
    const { clock, told, reports, answered, hear } = setUp(quiet)
    const id = newRandomId<string>()
    await answered(id, 'policy:tool:a')
    hear(id, 'policy:tool:a')
    const stopped = reports[Symbol.asyncDispose]()
    clock.advance(300_000)
    await stopped
    expect(told).toEqual([{ id, text: 'Policy answered 2 asks for you: tool:a ×2' }])
    expect(clock.timers()).toEqual([])
  })

  it('a failure loses one report, not those after it', async () => {
    const { core, told, answered } = setUp({ ...quiet, logAutoApproved: true })
    core.fails = true
    await answered(newRandomId(), 'policy:tool:a')
    core.fails = false
    await answered(newRandomId(), 'policy:tool:a')
    expect(told).toHaveLength(1)
  })
})
