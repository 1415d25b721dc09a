import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/app/app.ts'
import type { Settings } from '../../src/domain/slice/context.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite, type Database } from '../../src/db/open.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { iso, systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { ensurePeople } from '../../src/server/ensure-people.ts'

export const databaseIn = (home: string): string => join(home, 'signalbox.db')

const generous: Settings = {
  timeouts: { approvalSeconds: 3600, promptSeconds: 1800, waitSeconds: 0 },
  limits: { mcp: 1_000_000, acp: 1_000_000, terminal: 1_000_000 },
  adminsMayAnswer: false,
  vouched: [],
  stall: { enabled: false, inactivityMs: 1, escalationMs: 1, maxRetries: 0, message: '' },
}

export const openApp = (database: Database) =>
  createApp({ database, clock: systemClock, log: silentLogger, settings: () => generous, nodeId: 'bench' })

/** A data directory as the first start leaves it: schema and local owner. */
export async function makeDataDirectory(home: string): Promise<UserId> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const database = await openSqlite({ file: databaseIn(home), synchronous: 'normal' })
  try {
    const migrated = await migrate(database, { now: () => iso(Date.now()) })
    if (!migrated.ok) throw new Error(migrated.fault.message)
    await using app = await openApp(database)
    return await ensurePeople(app, [])
  } finally {
    await database.close()
  }
}
