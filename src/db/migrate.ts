import { sql, type Kysely } from 'kysely'
import { fail, ok, type Failed, type Result } from '../lib/result.ts'
import { ddlOf, runStatements, type Migration } from './ddl.ts'
import { migrations } from './migrations/index.ts'
import { patiently, type Database, type Db } from './open.ts'

export type SchemaStatus = {
  current: number
  newest: number
  applied: readonly { version: number; name: string; applied: string }[]
  pending: readonly { version: number; name: string }[]
}

const newestOf = (list: readonly Migration[]) => list.at(-1)?.version ?? 0

async function ledger(db: Db, flavor: Database['flavor']): Promise<SchemaStatus['applied']> {
  const found =
    flavor.name === 'sqlite'
      ? await sql<{ n: number }>`select count(*) as n from sqlite_master where name = 'schema_version'`.execute(db)
      : await sql<{ n: number }>`select count(to_regclass('schema_version')) as n`.execute(db)
  if (Number(found.rows[0]?.n) === 0) return []
  return db.selectFrom('schema_version').selectAll().orderBy('version').execute()
}

export async function schemaStatus(database: Database, list = migrations): Promise<SchemaStatus> {
  const applied = await ledger(database.write, database.flavor)
  const current = applied.at(-1)?.version ?? 0
  const pending = list.filter(({ version }) => version > current).map(({ version, name }) => ({ version, name }))
  return { current, newest: newestOf(list), applied, pending }
}

export const noSchema = (list = migrations): SchemaStatus => ({
  current: 0,
  newest: newestOf(list),
  applied: [],
  pending: list.map(({ version, name }) => ({ version, name })),
})

/** A newer schema is not touched: this version does not know what its rows mean. */
export const newerSchema = (status: SchemaStatus): Failed | null =>
  status.current <= status.newest
    ? null
    : fail({
        kind: 'unavailable',
        code: 'schema_too_new',
        message: `The database has schema ${status.current}; this Signalbox knows up to ${status.newest}.`,
        hint: 'Start the newer Signalbox again, or restore the backup made before the upgrade.',
      })

/** Migrates the schema; each step and its ledger row share a transaction, so repeated and concurrent runs are safe. */
export async function migrate(
  database: Database,
  options: {
    now: () => string
    backup?: ((current: number) => Promise<void>) | undefined
    list?: readonly Migration[]
  },
): Promise<Result<SchemaStatus['pending']>> {
  const list = options.list ?? migrations
  const before = await schemaStatus(database, list)
  const newer = newerSchema(before)
  if (newer) return newer
  if (before.pending.length > 0 && before.current > 0) await options.backup?.(before.current)
  const done: { version: number; name: string }[] = []
  for (const { version } of before.pending) {
    const step = list.find((candidate) => candidate.version === version)
    if (step && (await patiently(database, () => apply(database, step, options.now()))))
      done.push({ version, name: step.name })
  }
  return ok(done)
}

async function apply(database: Database, step: Migration, at: string): Promise<boolean> {
  return database.write.transaction().execute(async (tx) => {
    await database.flavor.lock(tx, ['schema'])
    await sql
      .raw(
        `create table if not exists schema_version (version integer primary key, name text not null, applied text not null)`,
      )
      .execute(tx)
    const present = await tx
      .selectFrom('schema_version')
      .select('version')
      .where('version', '=', step.version)
      .execute()
    if (present.length > 0) return false
    await runStatements(tx as unknown as Kysely<never>, step.up(ddlOf(database.flavor.name)))
    await tx.insertInto('schema_version').values({ version: step.version, name: step.name, applied: at }).execute()
    return true
  })
}

/** Reverts the newest steps, down to the given version. */
export async function rollback(
  database: Database,
  options: { to: number; backup?: ((current: number) => Promise<void>) | undefined; list?: readonly Migration[] },
): Promise<Result<readonly { version: number; name: string }[]>> {
  const list = options.list ?? migrations
  const before = await schemaStatus(database, list)
  const newer = newerSchema(before)
  if (newer) return newer
  if (before.current <= options.to) return ok([])
  await options.backup?.(before.current)
  const done: { version: number; name: string }[] = []
  for (const step of list.toReversed()) {
    if (step.version > before.current || step.version <= options.to) continue
    await database.write.transaction().execute(async (tx) => {
      await database.flavor.lock(tx, ['schema'])
      await runStatements(tx as unknown as Kysely<never>, step.down(ddlOf(database.flavor.name)))
      await tx.deleteFrom('schema_version').where('version', '=', step.version).execute()
    })
    done.push({ version: step.version, name: step.name })
  }
  return ok(done)
}
