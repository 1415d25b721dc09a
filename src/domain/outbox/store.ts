import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { newId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import type {
  Destination,
  NewOutboxItem,
  OutboxId,
  OutboxItem,
  Settlement,
  MessageSubject,
  SubjectKind,
} from './records.ts'
import type { OutboxTables } from './table.ts'

const mostAtOnce = 500

export async function addItems(db: Executor, items: readonly NewOutboxItem[]): Promise<void> {
  const rows = items.map(({ sender, destination, lane, key, eventId, type, subject, at }) => ({
    id: newId<OutboxId>(),
    sender,
    destination,
    lane,
    key,
    event_id: eventId,
    type,
    subject_kind: subject.kind,
    subject_id: subject.id,
    session_id: subject.sessionId,
    status: 'waiting' as const,
    attempts: 0,
    next_at: at,
    in_doubt: 0,
    created_at: at,
  }))
  // A statement takes a limited number of values.
  for (let from = 0; from < rows.length; from += mostAtOnce)
    await db
      .insertInto('outbox')
      .values(rows.slice(from, from + mostAtOnce))
      .onConflict((conflict) => conflict.columns(['sender', 'destination', 'key']).doNothing())
      .execute()
}

const notifiedAbout = (about: 'subject_id' | 'session_id') =>
  prepare<{ sender: string; kind: SubjectKind; id: string }>()((db, slots) =>
    db
      .selectFrom('outbox')
      .select(['subject_id', 'session_id', 'destination', 'lane'])
      .distinct()
      .where('sender', '=', slots.sender)
      .where('type', '=', 'needs_you')
      .where('subject_kind', '=', slots.kind)
      // A message that is being sent may have arrived.
      .where((eb) => eb.or([eb('status', '=', 'sent'), eb.and([eb('status', '=', 'waiting'), eb('attempts', '>', 0)])]))
      .where(about, '=', slots.id as never),
  )
const notifiedAboutSubject = notifiedAbout('subject_id')
const notifiedInSession = notifiedAbout('session_id')

/** Destinations that got a "needs you" message about it, or, given a session, about anything of that kind in it. */
export async function notifiedDestinations(
  db: Executor,
  sender: string,
  kind: SubjectKind,
  about: { id: string } | { sessionId: SessionId },
): Promise<(Destination & { subject: MessageSubject })[]> {
  const rows =
    'id' in about
      ? await notifiedAboutSubject(db, { sender, kind, id: about.id })
      : await notifiedInSession(db, { sender, kind, id: about.sessionId })
  return rows.map(({ destination, lane, subject_id: id, session_id: sessionId }) => ({
    destination,
    lane,
    subject: { kind, id, sessionId },
  }))
}

/** `cutOff`: it was claimed, and the result is unknown. */
export type DueItem = OutboxItem & { readonly cutOff: boolean }

/** The oldest due items, one per destination, without busy destinations, full lanes and full groups. */
export async function dueItems(
  db: Executor,
  sender: { name: string; ordered: boolean },
  now: string,
  except: { destinations: readonly string[]; lanes: readonly string[]; prefixes?: readonly string[] },
  onlyLanes?: readonly string[],
): Promise<DueItem[]> {
  if (onlyLanes?.length === 0) return []
  let query = db
    .selectFrom('outbox')
    .selectAll()
    .where('sender', '=', sender.name)
    .where('status', '=', 'waiting')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    // In order: a later item must not overtake one that another node is sending.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outbox as before')
            .select('before.id')
            .whereRef('before.sender', '=', 'outbox.sender')
            .whereRef('before.destination', '=', 'outbox.destination')
            .where('before.status', '=', 'waiting')
            .where((is) =>
              sender.ordered
                ? is.or([is('before.claimed_until', '>', now), is('before.seq', '<', is.ref('outbox.seq'))])
                : is('before.claimed_until', '>', now),
            ),
        ),
      ),
    )
    .orderBy('next_at')
    .orderBy('seq')
    .limit(mostAtOnce)
  if (except.destinations.length > 0) query = query.where('destination', 'not in', except.destinations)
  for (const prefix of except.prefixes ?? [])
    query = query.where((eb) => eb(eb.fn('substr', ['destination', eb.lit(1), eb.lit(prefix.length)]), '!=', prefix))
  if (except.lanes.length > 0) query = query.where('lane', 'not in', except.lanes)
  if (onlyLanes) query = query.where('lane', 'in', onlyLanes)
  const rows = await query.execute()
  const first = new Map(rows.toReversed().map((row) => [row.destination, row]))
  return rows.filter((row) => first.get(row.destination) === row).map(toItem)
}

const toItem = (row: Selectable<OutboxTables['outbox']>): DueItem => ({
  id: row.id,
  destination: row.destination,
  lane: row.lane,
  type: row.type,
  subject: { kind: row.subject_kind, id: row.subject_id, sessionId: row.session_id },
  attempt: row.attempts + 1,
  createdAt: row.created_at,
  inDoubt: row.in_doubt !== 0,
  cutOff: row.claimed_by !== null,
})

export async function nextItemAt(db: Executor, sender: string, onlyLanes?: readonly string[]): Promise<string | null> {
  if (onlyLanes?.length === 0) return null
  // An item that is being sent is due again when its claim ends.
  const free = sql<string>`case when claimed_until > next_at then claimed_until else next_at end`
  const row = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.min(free).as('at'))
    .where('sender', '=', sender)
    .where('status', '=', 'waiting')
    .$if(onlyLanes !== undefined, (query) => query.where('lane', 'in', onlyLanes ?? []))
    .executeTakeFirst()
  return row?.at ?? null
}

/** Compare-and-set, so that only one node sends it. */
export async function claimItem(
  db: Executor,
  { id, attempt }: Pick<OutboxItem, 'id' | 'attempt'>,
  claim: { node: string; now: string; until: string },
): Promise<boolean> {
  const claimed = await db
    .updateTable('outbox')
    .set({ claimed_by: claim.node, claimed_until: claim.until, attempts: attempt })
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .where('attempts', '=', attempt - 1)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', claim.now)]))
    .returning('id')
    .execute()
  return claimed.length === 1
}

/** Changes nothing if another node has claimed it since. */
export async function settleItem(
  db: Executor,
  { id, attempt }: Pick<OutboxItem, 'id' | 'attempt'>,
  node: string,
  settled: Settlement,
  at: string,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      status: settled.status,
      claimed_by: null,
      claimed_until: null,
      error_class: 'errorClass' in settled ? settled.errorClass : null,
      error: 'error' in settled ? settled.error.slice(0, 2000) : null,
      settled_at: settled.status === 'waiting' ? null : at,
      ...(settled.status === 'waiting' && { next_at: settled.nextAt }),
      // Doubt stays until the message is sent or found.
      ...(settled.status === 'waiting' && settled.inDoubt && { in_doubt: 1 }),
      ...(settled.status === 'failed' && settled.errorClass === 'unsure' && { in_doubt: 1 }),
    })
    .where('id', '=', id)
    .where('claimed_by', '=', node)
    .where('attempts', '=', attempt)
    .execute()
}

const doubt = 'The server stopped while sending it. It may have arrived.'

/** Releases attempts that were cut off: all of a node when it starts, or one whose claim ended. Sent again or put aside. */
export async function resolveDoubts(
  db: Executor,
  sender: { name: string; inDoubt: 'again' | 'hold' },
  which: { node: string } | { id: OutboxId; before: string },
  at: string,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      claimed_by: null,
      claimed_until: null,
      in_doubt: 1,
      ...(sender.inDoubt === 'hold' && {
        status: 'failed' as const,
        error_class: 'in_doubt' as const,
        error: doubt,
        settled_at: at,
      }),
    })
    .where('sender', '=', sender.name)
    .where('status', '=', 'waiting')
    .where((eb) =>
      'node' in which
        ? eb('claimed_by', '=', which.node)
        : eb.and([eb('id', '=', which.id), eb('claimed_until', '<=', which.before)]),
    )
    .execute()
}

/** What waits in a lane after a failed attempt is due now, unless the other side asked for a pause. */
export const hastenItems = (db: Executor, sender: string, lane: string, now: string) =>
  db
    .updateTable('outbox')
    .set({ next_at: now })
    .where('sender', '=', sender)
    .where('lane', '=', lane)
    .where('status', '=', 'waiting')
    .where('next_at', '>', now)
    .where('error_class', 'in', ['transient', 'unsure'])
    .execute()

export const forgetItems = (db: Executor, sender: string, before: string) =>
  db.deleteFrom('outbox').where('sender', '=', sender).where('settled_at', '<', before).execute()

type DeadLetterRow = Pick<
  Selectable<OutboxTables['outbox']>,
  'id' | 'sender' | 'destination' | 'event_id' | 'attempts' | 'error_class' | 'error' | 'settled_at'
>

const dead = (db: Executor) =>
  db
    .selectFrom('outbox')
    .select(['id', 'sender', 'destination', 'event_id', 'attempts', 'error_class', 'error', 'settled_at'])
    .where('status', '=', 'failed')

export const deadItems = (db: Executor, limit: number): Promise<DeadLetterRow[]> =>
  dead(db).orderBy('settled_at').limit(limit).execute()

export const deadItem = (db: Executor, id: string): Promise<DeadLetterRow | undefined> =>
  dead(db)
    .where('id', '=', id as OutboxId)
    .executeTakeFirst()

/** False if it is no longer a dead letter. */
export async function reviveItem(db: Executor, id: string, now: string): Promise<boolean> {
  const revived = await db
    .updateTable('outbox')
    .set({ status: 'waiting', attempts: 0, next_at: now, error_class: null, settled_at: null })
    .where('id', '=', id as OutboxId)
    .where('status', '=', 'failed')
    .returning('id')
    .execute()
  return revived.length === 1
}
