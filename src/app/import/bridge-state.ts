import type { SeedRow } from './rows.ts'
import { timeOr } from './convert.ts'
import type { Work } from './work.ts'

/** Smaller numbers are seconds since 1970. */
const leastMs = 100_000_000_000
const msOf = (time: number | null): number | null => (time === null ? null : time < leastMs ? time * 1000 : time)

/** What adapters of the Chat SDK remember; it applies to an instance that is named like its platform. */
export async function importBridgeState({ tx, seed, tally, now }: Work): Promise<void> {
  const nowMs = Date.parse(now)
  const isOver = ({ expires_at }: { expires_at: number | null }) => (msOf(expires_at) ?? Infinity) <= nowMs
  for (const row of seed.chat_sdk_kv) {
    if (isOver(row)) {
      tally.leftOut('chat_sdk_kv', row.key, 'expired')
      continue
    }
    const added = await tx
      .insertInto('chat_sdk_kv')
      .values({ key: row.key, value: row.value, expires_at: msOf(row.expires_at) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .execute()
    tally.imported('chat_sdk_kv', added.length > 0)
  }
  for (const { thread_id, subscribed_at } of seed.chat_sdk_subscriptions) {
    const added = await tx
      .insertInto('chat_sdk_subscriptions')
      .values({ thread_id, subscribed_at: timeOr(subscribed_at, now) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('thread_id')
      .execute()
    tally.imported('chat_sdk_subscriptions', added.length > 0)
  }
  for (const row of seed.chat_sdk_locks) {
    if (isOver(row)) {
      tally.leftOut('chat_sdk_locks', row.thread_id, 'expired')
      continue
    }
    const { thread_id, token } = row
    const added = await tx
      .insertInto('chat_sdk_locks')
      .values({ thread_id, token, expires_at: msOf(row.expires_at) ?? nowMs })
      .onConflict((conflict) => conflict.doNothing())
      .returning('thread_id')
      .execute()
    tally.imported('chat_sdk_locks', added.length > 0)
  }
  for (const row of seed.chat_sdk_lists) {
    if (isOver(row)) tally.leftOut('chat_sdk_lists', listName(row), 'expired')
    else {
      const { key, idx, value } = row
      const added = await tx
        .insertInto('chat_sdk_lists')
        .values({ key, idx, value, expires_at: msOf(row.expires_at) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('key')
        .execute()
      tally.imported('chat_sdk_lists', added.length > 0)
    }
  }
}

const listName = ({ key, idx }: SeedRow<'chat_sdk_lists'>): string => `${key} ${idx}`
