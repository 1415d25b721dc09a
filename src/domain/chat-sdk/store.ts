import type { Executor, Tx } from '../../db/open.ts'

/** Values are JSON; a time is in milliseconds since 1970, and null never comes. */
export type Expiry = number | null

export async function readValue(db: Executor, key: string, now: number): Promise<string | null> {
  const row = await db
    .selectFrom('chat_sdk_kv')
    .select('value')
    .where('key', '=', key)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  return row?.value ?? null
}

export async function writeValue(db: Executor, key: string, value: string, expires: Expiry): Promise<void> {
  await db
    .insertInto('chat_sdk_kv')
    .values({ key, value, expires_at: expires })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, expires_at: expires }))
    .execute()
}

/** False if there is a value that has not expired. */
export async function claimValue(
  db: Executor,
  key: string,
  value: string,
  { expires, now }: { expires: Expiry; now: number },
): Promise<boolean> {
  const written = await db
    .insertInto('chat_sdk_kv')
    .values({ key, value, expires_at: expires })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value, expires_at: expires }).where('chat_sdk_kv.expires_at', '<=', now),
    )
    .returning('key')
    .execute()
  return written.length > 0
}

export async function deleteValue(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('chat_sdk_kv').where('key', '=', key).execute()
}

export async function addSubscription(db: Executor, threadId: string, at: string): Promise<void> {
  await db
    .insertInto('chat_sdk_subscriptions')
    .values({ thread_id: threadId, subscribed_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function removeSubscription(db: Executor, threadId: string): Promise<void> {
  await db.deleteFrom('chat_sdk_subscriptions').where('thread_id', '=', threadId).execute()
}

export async function hasSubscription(db: Executor, threadId: string): Promise<boolean> {
  const query = db.selectFrom('chat_sdk_subscriptions').select('thread_id').where('thread_id', '=', threadId)
  return (await query.executeTakeFirst()) !== undefined
}

export type LockRow = { readonly threadId: string; readonly token: string }

/** False if somebody holds it. */
export async function takeLock(
  db: Executor,
  { threadId, token }: LockRow,
  { until, now }: { until: number; now: number },
): Promise<boolean> {
  const taken = await db
    .insertInto('chat_sdk_locks')
    .values({ thread_id: threadId, token, expires_at: until })
    .onConflict((conflict) =>
      conflict
        .column('thread_id')
        .doUpdateSet({ token, expires_at: until })
        .where('chat_sdk_locks.expires_at', '<=', now),
    )
    .returning('thread_id')
    .execute()
  return taken.length > 0
}

/** A lock that expired is not revived. */
export async function prolongLock(
  db: Executor,
  { threadId, token }: LockRow,
  { until, now }: { until: number; now: number },
): Promise<boolean> {
  const held = await db
    .updateTable('chat_sdk_locks')
    .set({ expires_at: until })
    .where('thread_id', '=', threadId)
    .where('token', '=', token)
    .where('expires_at', '>', now)
    .returning('thread_id')
    .execute()
  return held.length > 0
}

/** Without a token, its holder loses it. */
export async function dropLock(db: Executor, threadId: string, token?: string): Promise<void> {
  let query = db.deleteFrom('chat_sdk_locks').where('thread_id', '=', threadId)
  if (token !== undefined) query = query.where('token', '=', token)
  await query.execute()
}

export async function readList(db: Executor, key: string, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('chat_sdk_lists')
    .select('value')
    .where('key', '=', key)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('idx')
    .execute()
  return rows.map(({ value }) => value)
}

/** Appends, keeps the newest, and gives the whole list the new expiry. Returns how many there are. The caller holds the list. */
export async function appendToList(
  tx: Tx,
  key: string,
  value: string,
  { most, expires, now }: { most: number | null; expires: Expiry; now: number },
): Promise<number> {
  await tx.deleteFrom('chat_sdk_lists').where('key', '=', key).where('expires_at', '<=', now).execute()
  const { last, count } = await tx
    .selectFrom('chat_sdk_lists')
    .select((eb) => [eb.fn.max('idx').as('last'), eb.fn.countAll<number>().as('count')])
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  const idx = (last ?? -1) + 1
  await tx.insertInto('chat_sdk_lists').values({ key, idx, value, expires_at: expires }).execute()
  if (expires !== null)
    await tx.updateTable('chat_sdk_lists').set({ expires_at: expires }).where('key', '=', key).execute()
  const length = count + 1
  if (most === null || length <= most) return length
  const surplus = tx
    .selectFrom('chat_sdk_lists')
    .select('idx')
    .where('key', '=', key)
    .orderBy('idx')
    .limit(length - most)
  await tx.deleteFrom('chat_sdk_lists').where('key', '=', key).where('idx', 'in', surplus).execute()
  return most
}

/** Takes the oldest value. The caller holds the list. */
export async function takeFromList(tx: Tx, key: string): Promise<string | null> {
  const first = await tx
    .selectFrom('chat_sdk_lists')
    .select(['idx', 'value'])
    .where('key', '=', key)
    .orderBy('idx')
    .limit(1)
    .executeTakeFirst()
  if (!first) return null
  await tx.deleteFrom('chat_sdk_lists').where('key', '=', key).where('idx', '=', first.idx).execute()
  return first.value
}

export async function countList(db: Executor, key: string): Promise<number> {
  const row = await db
    .selectFrom('chat_sdk_lists')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return row.n
}
