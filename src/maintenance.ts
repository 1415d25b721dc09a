import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AppDeps } from './app/app.ts'
import type { LoadedConfig } from './config/index.ts'
import { migrate, noSchema, rollback, schemaStatus, type SchemaStatus } from './db/migrate.ts'
import { openPostgres, openSqlite, type Database } from './db/open.ts'
import { iso } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import type { Result } from './lib/result.ts'

/** What the configuration says the database is, opened. */
export function openConfigured({ config, dataDir }: LoadedConfig): Promise<Database> {
  const { url, synchronous, poolSize } = config.database
  return url === null ? openSqlite({ file: databaseFile(dataDir), synchronous }) : openPostgres({ url, poolSize })
}

/** What nodes of one PostgreSQL need of each other. SQLite belongs to the server that holds the data directory. */
export async function shareDatabase(deps: {
  database: Database
  url: string | null
  nodeId: string
  log: Logger
}): Promise<{ parts: Pick<AppDeps, 'nodes' | 'leases'> } & AsyncDisposable> {
  const { database, url, nodeId, log } = deps
  if (url === null) return { parts: {}, [Symbol.asyncDispose]: async () => {} }
  const [{ postgresNodes }, { postgresLeases }] = await Promise.all([
    import('./db/postgres-nodes.ts'),
    import('./db/postgres-leases.ts'),
  ])
  const leases = await postgresLeases({ url, nodeId, log: log.child({ part: 'leases' }) })
  const nodes = postgresNodes(database, url, log.child({ part: 'nodes' }))
  return { parts: { nodes, leases }, [Symbol.asyncDispose]: () => leases[Symbol.asyncDispose]() }
}

export const databaseFile = (dataDir: string): string => join(dataDir, 'signalbox.db')

/** A copy of the SQLite file beside it, named after the schema it has; PostgreSQL has its own tools for this. */
export async function backUp(database: Database, dataDir: string, current: number): Promise<string | null> {
  if (!database.sqlite) return null
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stamp = iso(Date.now()).replace(/[:.]/g, '-')
  const file = join(folder, `signalbox-schema-${current}-${stamp}.db`)
  await database.sqlite.backup(file)
  return existsSync(file) ? file : null
}

type Steps = readonly { version: number; name: string }[]

/** `signalbox db …`: the schema without a server. */
export async function databaseStatus(loaded: LoadedConfig): Promise<SchemaStatus> {
  // Looking must not make one.
  if (loaded.config.database.url === null && !existsSync(databaseFile(loaded.dataDir))) return noSchema()
  return withDatabase(loaded, (database) => schemaStatus(database))
}

export async function migrateDatabase(loaded: LoadedConfig): Promise<Result<Steps> & { backup: string | null }> {
  return withDatabase(loaded, async (database) => {
    let backup: string | null = null
    const result = await migrate(database, {
      now: () => iso(Date.now()),
      backup: async (current) => {
        backup = await backUp(database, loaded.dataDir, current)
      },
    })
    return { ...result, backup }
  })
}

export async function rollBackDatabase(
  loaded: LoadedConfig,
  to: number,
): Promise<Result<Steps> & { backup: string | null }> {
  return withDatabase(loaded, async (database) => {
    let backup: string | null = null
    const result = await rollback(database, {
      to,
      backup: async (current) => {
        backup = await backUp(database, loaded.dataDir, current)
      },
    })
    return { ...result, backup }
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
