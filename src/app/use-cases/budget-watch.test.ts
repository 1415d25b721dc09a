import { describe, expect, it } from 'vitest'
import { answers } from '../../../test/app/samples.ts'
import { openWorld, until, type World } from '../../../test/world.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { createBudgetWatch, type SpendingRecord } from './budget-watch.ts'

const newNotes = (): SpendingRecord['notes'] => ({ usage: null, budgetAsks: 0, firstBudget: null })

/** The stored state of a session and a watch on it; `restart` is another server, `recover` also another process. */
async function setUp(world: World, costUsd = 10) {
  const ann = await world.person()
  const sessionId: SessionId = await world.session(ann)
  let about: SpendingRecord['about'] = { budget: { costUsd, tokens: null } }
  let notes = newNotes()
  const watch = () => {
    const record = {
      notes,
      get about() {
        return about
      },
      setAbout(change: SpendingRecord['about']) {
        about = { ...about, ...change }
      },
      flush: async () => {},
    }
    return createBudgetWatch({ app: world.app, sessionId, record, log: silentLogger })
  }
  let current = watch()
  const rows = () => world.database.read.selectFrom('asks').select(['id', 'status']).orderBy('status').execute()
  const status = async () => {
    const found = await world.app.read.session(await world.app.read.standing(ann), sessionId)
    return found.ok ? found.value.status : null
  }
  return {
    status,
    budget: () => about.budget?.costUsd,
    asks: async () => (await rows()).map((row) => row.status),
    async spend(amount: number, expected: 'paused' | 'active' = 'paused') {
      notes.usage = { used: null, size: null, costUsd: amount }
      current.check()
      await until(async () => (await status()) === expected)
    },
    look: () => current.check(),
    async answer(which: 'continue' | 'stop') {
      const open = (await rows()).filter((row) => row.status === 'open')
      for (const { id } of open) {
        await world.do({ type: 'ask.answer', id, answer: answers[which] }, ann)
        await current.answered(id)
      }
    },
    resume: () => world.do({ type: 'session.resume', id: sessionId, reason: null }, ann),
    restart() {
      notes = structuredClone(notes)
      current = watch()
    },
    recover() {
      notes = newNotes()
      current = watch()
    },
  }
}

describe('a budget that is used up', () => {
  it('pauses the session and asks; yes allows the same amount again and resumes it', async () => {
    await using world = await openWorld('sqlite')
    const work = await setUp(world)
    await work.spend(9, 'active')
    expect(await work.asks()).toEqual([])
    await work.spend(10.5)
    work.look()
    expect(await work.asks()).toEqual(['open'])
    await work.answer('continue')
    expect([await work.status(), work.budget()]).toEqual(['active', 20.5])
    const queued = await world.database.read.selectFrom('queue_items').select('words').execute()
    expect(queued).toEqual([{ words: 'Continue.' }])
  })

  it('and no completes it', async () => {
    await using world = await openWorld('sqlite')
    const work = await setUp(world)
    await work.spend(10)
    await work.answer('stop')
    expect(await work.status()).toBe('completed')
  })

  it('is asked about once, however often the server restarts meanwhile', async () => {
    await using world = await openWorld('sqlite')
    const work = await setUp(world)
    await work.spend(10)
    for (const _again of [1, 2]) {
      work.restart()
      await work.spend(11)
    }
    expect(await work.asks()).toEqual(['open'])
    await work.answer('continue')
    expect(await work.status()).toBe('active')
  })

  it('is raised by the original amount, also after a restart', async () => {
    await using world = await openWorld('sqlite')
    const work = await setUp(world)
    await work.spend(10)
    await work.answer('continue')
    work.restart()
    await work.spend(20)
    await work.answer('continue')
    expect(work.budget()).toBe(30)
  })

  it('is asked about again after the agent was recovered and has no record of it', async () => {
    await using world = await openWorld('sqlite')
    const work = await setUp(world)
    await work.spend(10)
    await work.answer('continue')
    work.recover()
    await work.spend(20)
    await until(async () => (await work.asks()).length === 2)
    expect(await work.asks()).toEqual(['answered', 'open'])
  })
})
