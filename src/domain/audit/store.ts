import { sql, type ExpressionBuilder, type Expression, type Selectable, type SqlBool } from 'kysely'
import type { Flavor } from '../../db/flavor.ts'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Tables } from '../../db/tables.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { Viewer } from '../user/actor.ts'
import { formatCursor, type Place } from './cursor.ts'
import type { Event, EventId, Visibility } from './schema.ts'
import { isJsonRecord, jsonColumn } from '../../lib/parse-json.ts'

export type NewEvent = {
  id: EventId
  at: string
  type: string
  actor: string
  stream: string
  sessionId: SessionId | null
  ownerUserId: UserId | null
  agentGroupId: AgentGroupId | null
  visibility: Visibility
  commandKey: string | null
  data: object
  /** People who see the event because it names them. */
  named: readonly UserId[]
}

/** An event read from the log, with its position. */
export type StoredEvent = Event & { readonly place: Place; readonly visibility: Visibility }

const insert = prepare<Omit<NewEvent, 'data' | 'named'> & { data: string }>()((db, slots) =>
  db
    .insertInto('events')
    .values({
      id: slots.id,
      at: slots.at,
      type: slots.type,
      actor: slots.actor,
      stream: slots.stream,
      session_id: slots.sessionId,
      owner_user_id: slots.ownerUserId,
      agent_group_id: slots.agentGroupId,
      visibility: slots.visibility,
      command_key: slots.commandKey,
      data: slots.data,
    })
    .returning(['tx', 'seq']),
)

export async function appendEvent(tx: Tx, event: NewEvent): Promise<StoredEvent> {
  const { named, commandKey, ...rest } = event
  const [row] = await insert(tx, { ...rest, commandKey, data: JSON.stringify(event.data) })
  if (!row) throw new Error('the log gave no place to an event')
  const people = [...new Set(named)].map((user_id) => ({ user_id, event_id: event.id }))
  if (people.length > 0) await tx.insertInto('event_people').values(people).execute()
  return { ...rest, data: { ...event.data }, place: row, cursor: formatCursor(row) }
}

export type EventFilter = {
  sessionId?: SessionId | undefined
  types?: readonly string[] | undefined
  actor?: string | undefined
  since?: string | undefined
  until?: string | undefined
  text?: string | undefined
}

/** Whether the filter excludes anything, so that the log must be scanned. */
export const isFiltered = ({ sessionId, types, actor, since, until, text }: EventFilter): boolean =>
  [sessionId, types, actor, since, until, text].some((value) => value !== undefined)

type Condition = Expression<SqlBool>

/** Viewers see only events they may read. */
function audible(eb: ExpressionBuilder<Tables, 'events'>, viewer: Viewer): Condition {
  switch (viewer.sees) {
    case 'all':
      return eb.lit(true)
    case 'own':
      return eb.or([
        eb.and([
          eb('visibility', '=', 'public'),
          // Older logs stored these as public.
          eb('type', 'not like', 'policy.%'),
          ...(viewer.everyRepo ? [] : [eb('stream', 'not in', hiddenRepos(eb, viewer))]),
        ]),
        eb('id', 'in', eb.selectFrom('event_people').select('event_id').where('user_id', '=', viewer.userId)),
        eb.and([
          eb('visibility', '=', 'owner'),
          eb.or([
            eb('owner_user_id', '=', viewer.userId),
            ...(viewer.groups.length > 0 ? [eb('agent_group_id', 'in', viewer.groups)] : []),
            eb(
              'session_id',
              'in',
              eb.selectFrom('session_delegates').select('session_id').where('user_id', '=', viewer.userId),
            ),
          ]),
        ]),
      ])
    case 'agent':
      return eb.or([
        ...(viewer.sessionId === null ? [] : [eb('session_id', '=', viewer.sessionId)]),
        ...(viewer.tokenId === null
          ? []
          : [
              eb(
                'session_id',
                'in',
                eb.selectFrom('sessions').select('sessions.id').where('sessions.token_id', '=', viewer.tokenId),
              ),
            ]),
      ])
    case 'nothing':
      return eb.lit(false)
    default:
      return viewer satisfies never
  }
}

/** Repos whose events are hidden from a viewer; the same rule as `mayUseRepo`. */
const hiddenRepos = (eb: ExpressionBuilder<Tables, 'events'>, viewer: Extract<Viewer, { sees: 'own' }>) =>
  eb
    .selectFrom('repos')
    .select('repos.id')
    .where('everyone', '=', 0)
    .where((repo) =>
      repo.not(
        repo.exists(
          repo
            .selectFrom('repo_access')
            .select('repo_id')
            .whereRef('repo_access.repo_id', '=', 'repos.id')
            .where((named) =>
              named.or([
                named('user_id', '=', viewer.userId),
                ...(viewer.groups.length > 0 ? [named('repo_access.agent_group_id', 'in', viewer.groups)] : []),
              ]),
            ),
        ),
      ),
    )

const settledPages = new Map<Flavor, ReturnType<typeof prepareSettledPage>>()
const prepareSettledPage = (flavor: Flavor) =>
  prepare<Place & { limit: number }>()((db, slots) =>
    db.selectFrom('events').selectAll().where(flavor.settledAfter(slots)).orderBy(flavor.eventOrder).limit(slots.limit),
  )

/** The page every follower reads, compiled once per database. */
function settledPage(flavor: Flavor) {
  const found = settledPages.get(flavor) ?? prepareSettledPage(flavor)
  settledPages.set(flavor, found)
  return found
}

/** Settled events after a position, in log order. */
export async function readEvents(
  db: Executor,
  flavor: Flavor,
  options: { after: Place; limit: number; viewer: Viewer; filter?: EventFilter },
): Promise<StoredEvent[]> {
  const { after, limit, viewer, filter } = options
  if (viewer.sees === 'all' && (filter === undefined || !isFiltered(filter)))
    return (await settledPage(flavor)(db, { ...after, limit })).map(toEvent)
  const rows = await filtered(db, viewer, filter ?? {})
    .where(flavor.settledAfter(after))
    .orderBy(flavor.eventOrder)
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

/** Newest first, for searching. */
export async function searchEvents(
  db: Executor,
  flavor: Flavor,
  viewer: Viewer,
  filter: EventFilter & { limit: number; before?: Place | undefined },
): Promise<StoredEvent[]> {
  let query = filtered(db, viewer, filter).orderBy(flavor.newestFirst).limit(filter.limit)
  if (filter.before) query = query.where(flavor.before(filter.before))
  return (await query.execute()).map(toEvent)
}

function filtered(db: Executor, viewer: Viewer, filter: EventFilter) {
  let query = db.selectFrom('events').selectAll()
  if (viewer.sees !== 'all') query = query.where((eb) => audible(eb, viewer))
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId)
  if (filter.types !== undefined) {
    const { types } = filter
    const matches = (eb: ExpressionBuilder<Tables, 'events'>) =>
      eb.or(
        types.map((type) => (type.endsWith('*') ? eb('type', 'like', `${type.slice(0, -1)}%`) : eb('type', '=', type))),
      )
    query = query.where(matches)
  }
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor)
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since)
  if (filter.until !== undefined) query = query.where('at', '<', filter.until)
  if (filter.text !== undefined) {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(sql<boolean>`lower(data) like ${pattern.toLowerCase()} escape '\\'`)
  }
  return query
}

/** Only since the key was last created: an expired key may be reused. */
export async function eventsOfCommand(db: Executor, key: string, since: string): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('command_key', '=', key)
    .where('at', '>=', since)
    .orderBy('seq')
    .execute()
  return rows.map(toEvent)
}

const dataColumn = jsonColumn('events.data', isJsonRecord)

const toEvent = (row: Selectable<Tables['events']>): StoredEvent => ({
  id: row.id,
  cursor: formatCursor(row),
  at: row.at,
  type: row.type,
  actor: row.actor,
  stream: row.stream,
  sessionId: row.session_id,
  ownerUserId: row.owner_user_id,
  agentGroupId: row.agent_group_id,
  visibility: row.visibility,
  data: dataColumn(row.data),
  place: { tx: row.tx, seq: row.seq },
})

/** The one exception to append-only: deletes events past retention, under a pass that the triggers check. */
export async function forgetEvents(tx: Tx, before: string): Promise<void> {
  await tx.insertInto('retention_pass').values({ before }).execute()
  const old = tx.selectFrom('events').select('id').where('at', '<', before)
  await tx.deleteFrom('event_people').where('event_id', 'in', old).execute()
  await tx.deleteFrom('events').where('at', '<', before).execute()
  await tx.deleteFrom('retention_pass').execute()
}

/** Forgets old command keys, which may then be reused. */
export async function forgetCommandKeys(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('commands').where('at', '<', before).execute()
}

/** Deadlines of a kind, earliest first. Without `dueBefore`, includes those not due yet. */
export function dueDeadlines(db: Executor, kind: string, dueBefore: string | null, limit: number) {
  const ofKind = db.selectFrom('deadlines').selectAll().where('kind', '=', kind).orderBy('due_at').limit(limit)
  return (dueBefore === null ? ofKind : ofKind.where('due_at', '<=', dueBefore)).execute()
}

export async function unknownDeadlineKinds(
  db: Executor,
  known: readonly string[],
  dueBefore: string,
): Promise<string[]> {
  const due = db.selectFrom('deadlines').select('kind').distinct().where('due_at', '<=', dueBefore)
  return (await due.where('kind', 'not in', known).execute()).map(({ kind }) => kind)
}
