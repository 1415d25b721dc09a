import { sql } from 'kysely'
import type { Database } from './open.ts'

/**
 * Where a log was restored into another PostgreSQL, whose transaction numbers are behind, new events would stand before the
 * old ones and followers would wait for years. Says whether the numbers had to be moved on.
 */
export async function moveLogOn({ write, flavor }: Database): Promise<boolean> {
  if (flavor.oneWriter) return false
  return write.transaction().execute(async (tx) => {
    await flavor.lock(tx, ['log offset'])
    // Every number handed out so far is below this transaction's own.
    const moved = await sql`
      update log_offset set n = n + (select max(tx) from events) - log_tx() + 1
      where (select max(tx) from events) >= log_tx()`.execute(tx)
    return (moved.numAffectedRows ?? 0n) > 0n
  })
}
