import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AppDeps } from '../app/app.ts'
import type { LoadedConfig } from '../config/index.ts'
import { moveLogOn } from '../db/log-offset.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres, openSqlite, type Database } from '../db/open.ts'
import { iso } from '../lib/clock.ts'
import { fail, ok, type Fault, type Result } from '../lib/result.ts'
import type { ServerContext } from './context.ts'

export const databaseFile = (dataDir: string): string => join(dataDir, 'signalbox.db')

/** Opens the database that the configuration names, as it is. */
export function openConfigured({ config, dataDir }: LoadedConfig): Promise<Database> {
  const { url, synchronous, poolSize } = config.database
  return url === null ? openSqlite({ file: databaseFile(dataDir), synchronous }) : openPostgres({ url, poolSize })
}

/** Opens the database for a server: backed up, and migrated to the newest schema. */
export async function openDatabase(loaded: LoadedConfig, print: (text: string) => void): Promise<Result<Database>> {
  let database: Database | undefined
  try {
    database = await openConfigured(loaded)
    const opened = database
    const migrated = await migrate(database, {
      now: () => iso(Date.now()),
      backup: async (current) => {
        const file = await backUp(opened, loaded.dataDir, current)
        if (file) print(`Backed up the database to ${file}`)
      },
    })
    if (!migrated.ok) {
      await database.close()
      return migrated
    }
    if (await moveLogOn(database))
      print('This database comes from another PostgreSQL; its log continues after the old events.')
    return ok(database)
  } catch (error) {
    await database?.close().catch(() => {})
    const reason = database?.flavor.refusal(error)?.message ?? (error instanceof Error ? error.message : String(error))
    return fail(unusable(loaded, reason))
  }
}

function unusable({ config, dataDir }: LoadedConfig, reason: string): Fault {
  const isFile = config.database.url === null
  return {
    kind: 'unavailable',
    code: 'database_unavailable',
    message: `The database ${isFile ? databaseFile(dataDir) : 'at database.url'} can't be used: ${reason}`,
    hint: isFile
      ? 'Copies made before upgrades are in backups/ beside it.'
      : 'Check that it is running and that the password is right.',
  }
}

/** What the nodes of one PostgreSQL share. SQLite belongs to the server that holds the data directory. */
export async function shareDatabase(
  { loaded, nodeId, log }: Pick<ServerContext, 'loaded' | 'nodeId' | 'log'>,
  database: Database,
): Promise<{ parts: Pick<AppDeps, 'nodes' | 'leases'> } & AsyncDisposable> {
  const { url } = loaded.config.database
  if (url === null) return { parts: {}, [Symbol.asyncDispose]: async () => {} }
  const [{ postgresNodes }, { postgresLeases }] = await Promise.all([
    import('../db/postgres-nodes.ts'),
    import('../db/postgres-leases.ts'),
  ])
  const leases = await postgresLeases({ url, nodeId, log: log.child({ part: 'leases' }) })
  const nodes = postgresNodes(database, url, log.child({ part: 'nodes' }))
  return { parts: { nodes, leases }, [Symbol.asyncDispose]: () => leases[Symbol.asyncDispose]() }
}

/** Copies the SQLite file; the copy is named after its schema. PostgreSQL has its own tools for this. */
export async function backUp(database: Database, dataDir: string, current: number): Promise<string | null> {
  if (!database.sqlite) return null
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stamp = iso(Date.now()).replace(/[:.]/g, '-')
  const file = join(folder, `signalbox-schema-${current}-${stamp}.db`)
  await database.sqlite.backup(file)
  return existsSync(file) ? file : null
}
