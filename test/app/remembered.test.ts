import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeBoth, system } from '../world.ts'
import { newId } from '../../src/lib/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { loadHoldings } from '../../src/domain/user/store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite, type Database } from '../../src/db/open.ts'

const rolesOf = async ({ read }: Database, id: UserId) =>
  (await loadHoldings(read, id))?.grants.map(({ role }) => role) ?? null

describeBoth('rows that are remembered', (openWorld) => {
  it('change with the command that changes them, for reads and for commands', async () => {
    await using world = await openWorld()
    const { database } = world
    const { userId } = await world.person()
    const grant = { type: 'role.grant', userId, role: 'admin', agentGroupId: null } as const
    for (let time = 0; time < 3; time += 1) {
      expect(await rolesOf(database, userId)).toEqual([])
      await world.do(grant)
      expect(await rolesOf(database, userId)).toEqual(['admin'])
      await database.write.transaction().execute(async (tx) => {
        expect((await loadHoldings(tx, userId))?.grants).toMatchObject([{ role: 'admin' }])
      })
      await world.do({ ...grant, type: 'role.revoke' })
    }
    await world.do({ type: 'user.remove', id: userId })
    expect(await rolesOf(database, userId)).toBeNull()
  })

  it('are as before when the change that was written is rolled back', async () => {
    await using world = await openWorld()
    const { database } = world
    const { userId } = await world.person()
    expect(await rolesOf(database, userId)).toEqual([])
    const grant = { type: 'role.grant', userId, role: 'admin', agentGroupId: null } as const
    // The same grant twice: one of both finds that it lost, after it has written or read.
    await Promise.all([world.app.dispatch(grant, system), world.app.dispatch(grant, system)])
    await world.do({ ...grant, type: 'role.revoke' })
    expect(await rolesOf(database, userId)).toEqual([])
  })
})

it('a write through another connection is seen in the next turn of the event loop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-remembered-'))
  try {
    const options = { file: join(folder, 'test.db'), synchronous: 'normal' as const }
    await using database = disposable(await openSqlite(options))
    await migrate(database.database, { now: () => '' })
    const id = newId<UserId>()
    expect(await loadHoldings(database.database.read, id)).toBeNull()
    expect(await loadHoldings(database.database.read, id)).toBeNull()
    await using other = disposable(await openSqlite(options))
    const row = { id, kind: 'person' as const, display_name: 'Ann', created_at: '', removed_at: null }
    await other.database.write.insertInto('users').values(row).execute()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await loadHoldings(database.database.read, id)).toEqual({ grants: [], memberOf: [] })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const disposable = (database: Database) => ({ database, [Symbol.asyncDispose]: () => database.close() })
