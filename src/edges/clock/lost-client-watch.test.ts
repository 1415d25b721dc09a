import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import type { App } from '../../app/app.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { newRandomId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { startLostClientWatch } from './lost-client-watch.ts'

const minute = 60_000
const lostAfterMs = 15 * minute

function setUp() {
  const clock = fakeClock()
  const core = {
    silent: [] as SessionId[],
    fails: false,
    asked: [] as string[],
    done: [] as unknown[],
    noted: [] as SessionId[],
  }
  const held = new Map<SessionId, number>()
  const app = {
    read: {
      async silentSessions(before: string) {
        core.asked.push(before)
        if (core.fails) throw new Error('the database is away')
        return core.silent
      },
    },
    connections: { noteContact: async (ids: readonly SessionId[]) => void core.noted.push(...ids) },
    async dispatch(command: { id: SessionId }, actor: object) {
      core.done.push({ ...command, actor })
      core.silent = core.silent.filter((id) => id !== command.id)
      return { ok: true }
    },
  } as unknown as App
  const watch = startLostClientWatch({
    app,
    clock,
    log: silentLogger,
    nodeId: 'here',
    lostAfterMs,
    inContact: () => new Set(held.keys()),
  })
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= minute) {
      clock.advance(Math.min(minute, left))
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { clock, core, held, watch, pass }
}

describe('the watch for lost clients', () => {
  it('R24 gives clients time to come back after a start', async () => {
    const { core, pass } = setUp()
    core.silent = [newRandomId<SessionId>()]
    await pass(lostAfterMs - 1)
    expect(core.done).toEqual([])
    await pass(minute)
    expect(core.done).toMatchObject([{ type: 'session.interrupt', actor: { kind: 'system' } }])
  })

  it('R24 looks for sessions that were silent that long', async () => {
    const { clock, core, pass } = setUp()
    await pass(lostAfterMs)
    expect(core.asked).toEqual([new Date(clock.now() - lostAfterMs).toISOString()])
  })

  it('R24 spares a session with a held call until that call ends', async () => {
    const { core, held, pass } = setUp()
    const [there, gone] = [newRandomId<SessionId>(), newRandomId<SessionId>()]
    core.silent = [there, gone]
    held.set(there, 1)
    await pass(lostAfterMs)
    expect(core.done).toMatchObject([{ id: gone }])
    expect(new Set(core.noted)).toEqual(new Set([there]))
    held.clear()
    await pass(minute)
    expect(core.done).toMatchObject([{ id: gone }, { id: there }])
  })

  it('checks again after a failure, but not once it is stopped', async () => {
    const { clock, core, watch, pass } = setUp()
    core.fails = true
    await pass(lostAfterMs)
    core.fails = false
    core.silent = [newRandomId<SessionId>()]
    await pass(minute)
    expect(core.done).toHaveLength(1)
    await watch[Symbol.asyncDispose]()
    expect(clock.timers()).toEqual([])
  })
})
