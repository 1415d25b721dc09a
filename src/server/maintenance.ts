import { existsSync } from 'node:fs'
import { importSeed } from '../app/import/import-seed.ts'
import type { ImportReport } from '../app/import/tally.ts'
import type { LoadedConfig } from '../config/index.ts'
import { migrate, noSchema, rollback, schemaStatus, type SchemaStatus } from '../db/migrate.ts'
import type { Database } from '../db/open.ts'
import { iso } from '../lib/clock.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { backUp, databaseFile, openConfigured } from './database.ts'

export { databaseFile } from './database.ts'

type Steps = Result<readonly { version: number; name: string }[]>
type BackUp = (current: number) => Promise<void>

/** `signalbox db …`: the schema, without a server. */
export async function databaseStatus(loaded: LoadedConfig): Promise<SchemaStatus> {
  // Reading the status must not create a database.
  if (loaded.config.database.url === null && !existsSync(databaseFile(loaded.dataDir))) return noSchema()
  return withDatabase(loaded, (database) => schemaStatus(database))
}

export const migrateDatabase = (loaded: LoadedConfig) =>
  changeSchema(loaded, (database, backup) => migrate(database, { now: () => iso(Date.now()), backup }))

export const rollBackDatabase = (loaded: LoadedConfig, to: number) =>
  changeSchema(loaded, (database, backup) => rollback(database, { to, backup }))

/** Imports the database of a NanoClaw installation. A dry run changes nothing, not even the schema. */
export async function importDatabase(
  loaded: LoadedConfig,
  { file, dryRun }: { file: string; dryRun: boolean },
): Promise<Result<ImportReport & { backup: string | null }>> {
  const { current, newest } = await databaseStatus(loaded)
  if (dryRun && current !== newest)
    return fail({
      kind: 'conflict',
      code: 'schema_outdated',
      message: current === 0 ? 'There is no database yet.' : `Schema ${current} is not the newest (${newest}).`,
      hint: 'Run signalbox db migrate first.',
    })
  return withDatabase(loaded, async (database) => {
    const now = iso(Date.now())
    const migrated = await migrate(database, { now: () => now })
    if (!migrated.ok) return migrated
    const backup = dryRun ? null : await backUp(database, loaded.dataDir, newest)
    const done = await importSeed(database, { file, now, dryRun })
    return done.ok ? ok({ ...done.value, backup }) : done
  })
}

async function changeSchema(
  loaded: LoadedConfig,
  change: (database: Database, backup: BackUp) => Promise<Steps>,
): Promise<Steps & { backup: string | null }> {
  return withDatabase(loaded, async (database) => {
    let file: string | null = null
    const steps = await change(database, async (current) => {
      file = await backUp(database, loaded.dataDir, current)
    })
    return { ...steps, backup: file }
  })
}

async function withDatabase<T>(loaded: LoadedConfig, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openConfigured(loaded)
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
