import { sql } from 'kysely'
import type { Database } from './open.ts'

/**
 * After a log is restored into a PostgreSQL whose transaction numbers are lower, new events would sort before the old
 * ones and followers would wait for years. Returns whether the offset had to be raised.
 */
export async function moveLogOn({ write, flavor }: Database): Promise<boolean> {
  if (flavor.oneWriter) return false
  return write.transaction().execute(async (tx) => {
    await flavor.lock(tx, ['log offset'])
    // Every number assigned so far is below this transaction's own.
    const moved = await sql`
      update log_offset set n = n + (select max(tx) from events) - log_tx() + 1
      where (select max(tx) from events) >= log_tx()`.execute(tx)
    return (moved.numAffectedRows ?? 0n) > 0n
  })
}
