import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { moveLogOn } from '../../src/db/log-offset.ts'
import { comparePlaces } from '../../src/domain/audit/cursor.ts'
import { openWorld, system, until } from '../world.ts'
import { collector } from './collect.ts'

describe('a log that was restored into another PostgreSQL', () => {
  it('continues after its old events, also for followers with old cursors', async () => {
    await using world = await openWorld('postgres')
    const { database } = world
    const report = async (detail: string) => {
      const done = await world.app.dispatch({ type: 'security.report', what: 'path_refused', detail }, system)
      if (!done.ok) throw new Error(done.fault.code)
      return done.value.events[0]!
    }
    const old = await report('before the dump')
    expect(await moveLogOn(database)).toBe(false)

    // A newer server: its transaction numbers are far behind those in the log.
    await sql`update log_offset set n = n - 1000000`.execute(database.write)
    expect(await moveLogOn(database)).toBe(true)
    expect(await moveLogOn(database)).toBe(false)

    const node = await world.join()
    const follower = collector('restored')
    await using _ = node.app.follow.run(follower)
    const fresh = await report('after the restore')
    expect(comparePlaces(fresh.place, old.place)).toBeGreaterThan(0)
    await until(() => follower.seen.some((event) => event.id === fresh.id))
  })

  it('does not exist on SQLite', async () => {
    await using world = await openWorld('sqlite')
    expect(await moveLogOn(world.database)).toBe(false)
  })
})
