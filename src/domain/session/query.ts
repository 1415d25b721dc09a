import { sql, type ExpressionBuilder, type Expression, type SqlBool, type RawBuilder } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Tables } from '../../db/tables.ts'
import type { Viewer } from '../user/actor.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'
import type { SessionId } from './id.ts'
import { activityOf } from './phase.ts'
import type { Session } from './schema.ts'
import { hasEnded, type SessionStatus } from './status.ts'
import { metadataColumn, progressColumn } from './store.ts'

export type SessionFilter = {
  repoId?: RepoId | undefined
  statuses?: readonly SessionStatus[] | undefined
  /** Part of its title, prompt, agent, repo or folder, or the start of its id. */
  q?: string | undefined
  /** When it was started: from, and before. */
  since?: string | undefined
  until?: string | undefined
  agent?: string | undefined
  agentGroupId?: AgentGroupId | undefined
  protocols?: readonly Session['protocolMode'][] | undefined
  /** Archived ones are left out, unless all or only those are wanted. */
  archived?: 'only' | 'any' | undefined
  /** Only pinned ones. */
  pinned?: boolean | undefined
  /** Only sessions with an open ask. */
  waiting?: boolean | undefined
  connectivity?: readonly Session['connectivityStatus'][] | undefined
}
export type SessionPage = SessionFilter & {
  limit: number
  offset: number
  /** The last session of the previous page; older ones follow. */
  before?: { createdAt: string; id: string } | undefined
}

const waiting = sql<boolean>`exists (select 1 from asks where asks.session_id = sessions.id and asks.status = 'open')`

/** Whether the agent has a prompt and its turn is not over. One without turns works as long as it runs. */
const inTurn = sql<boolean>`case when sessions.status <> 'active' then false
  when sessions.protocol_mode = 'mcp' then sessions.turn_over = 0 and sessions.agent_phase <> 'connected'
  when sessions.protocol_mode = 'terminal' then false
  else exists (select 1 from queue_items where queue_items.session_id = sessions.id and queue_items.status = 'sent')
    or exists (select 1 from agents where agents.session_id = sessions.id and agents.about like '%"turnless":true%') end`

const unresponsive = sql<boolean>`case when sessions.status <> 'active' or sessions.protocol_mode <> 'acp' then false
  else exists (select 1 from agents where agents.session_id = sessions.id
    and agents.state like '%"ignoresCancel":true%') end`

const queuePosition = sql<number | string | null>`case when sessions.agent_phase <> 'queued' then null else
  (select count(*) from sessions as ahead where ahead.agent_phase = 'queued' and ahead.status = 'created'
    and (ahead.phase_since, ahead.id) <= (sessions.phase_since, sessions.id)) end`

// Databases without booleans return 0 or 1.
type SessionRow = Tables['sessions'] & {
  waiting: number | boolean
  in_turn: number | boolean
  unresponsive: number | boolean
  queue_position: number | string | null
}
const allSessions = (db: Executor) =>
  db
    .selectFrom('sessions')
    .selectAll('sessions')
    .select([
      waiting.as('waiting'),
      inTurn.as('in_turn'),
      unresponsive.as('unresponsive'),
      queuePosition.as('queue_position'),
    ])

type Condition = Expression<SqlBool>

/** Which sessions a viewer may see; undefined means all. */
export function visibleSessions(eb: ExpressionBuilder<Tables, 'sessions'>, viewer: Viewer): Condition | undefined {
  switch (viewer.sees) {
    case 'all':
      return undefined
    case 'own':
      return eb.or([
        eb('sessions.owner_user_id', '=', viewer.userId),
        ...(viewer.groups.length > 0 ? [eb('sessions.agent_group_id', 'in', viewer.groups)] : []),
        eb(
          'sessions.id',
          'in',
          eb.selectFrom('session_delegates').select('session_id').where('user_id', '=', viewer.userId),
        ),
      ])
    case 'agent':
      return eb.or([
        ...(viewer.tokenId === null ? [] : [eb('sessions.token_id', '=', viewer.tokenId)]),
        ...(viewer.sessionId === null ? [] : [eb('sessions.id', '=', viewer.sessionId)]),
        ...(viewer.group === undefined ? [] : [eb('sessions.agent_group_id', '=', viewer.group)]),
        // Terminals it started, or was granted.
        ...(viewer.sessionId === null
          ? []
          : [
              eb(
                'sessions.id',
                'in',
                eb.selectFrom('terminals').select('session_id').where('started_by', '=', viewer.sessionId),
              ),
              eb(
                'sessions.id',
                'in',
                eb.selectFrom('terminal_grants').select('terminal_id').where('session_id', '=', viewer.sessionId),
              ),
            ]),
      ])
    case 'nothing':
      return eb.lit(false)
    default:
      return viewer satisfies never
  }
}

/** Filters that the tally of owners, repos and statuses can't count. */
export const isNarrow = (filter: SessionFilter): boolean => {
  const { q, since, until, agent, agentGroupId, protocols, connectivity, waiting: asked, pinned } = filter
  const given = [q, since, until, agent, agentGroupId, protocols, connectivity].some((value) => value !== undefined)
  return given || asked === true || pinned === true
}

function matching(eb: ExpressionBuilder<Tables, 'sessions'>, flavor: 'sqlite' | 'postgres', filter: SessionFilter) {
  const { repoId, statuses, q, agent, agentGroupId, protocols, connectivity } = filter
  return eb.and([
    ...(filter.archived === 'any' ? [] : [eb('archived_at', filter.archived === 'only' ? 'is not' : 'is', null)]),
    ...(filter.pinned === true ? [eb('pinned_at', 'is not', null)] : []),
    ...(repoId === undefined ? [] : [eb('repo_id', '=', repoId)]),
    ...(statuses === undefined ? [] : [eb('status', 'in', statuses)]),
    ...(filter.since === undefined ? [] : [eb('created_at', '>=', filter.since)]),
    ...(filter.until === undefined ? [] : [eb('created_at', '<', filter.until)]),
    ...(agent === undefined ? [] : [eb('agent', '=', agent)]),
    ...(agentGroupId === undefined ? [] : [eb('agent_group_id', '=', agentGroupId)]),
    ...(protocols === undefined ? [] : [eb('protocol_mode', 'in', protocols)]),
    ...(connectivity === undefined ? [] : [eb('connectivity_status', 'in', connectivity)]),
    ...(filter.waiting === true ? [waiting] : []),
    ...(q === undefined ? [] : [namedLike(flavor, q)]),
  ])
}

const newestSessions = (limit: number) =>
  prepare<{ offset: number }>()((db, slots) =>
    allSessions(db)
      .where('archived_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(slots.offset),
  )

const newest = new Map<number, ReturnType<typeof newestSessions>>()

/** The page everyone opens first. It is compiled once for each limit, because SQLite plans for it. */
function firstPage(db: Executor, limit: number, offset: number): Promise<SessionRow[]> {
  const find = newest.get(limit) ?? newestSessions(limit)
  newest.set(limit, find)
  return find(db, { offset })
}

export async function listSessions(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  viewer: Viewer,
  page: SessionPage,
): Promise<Session[]> {
  const { limit, offset, before, ...filter } = page
  const isPlain =
    filter.archived === undefined && filter.repoId === undefined && filter.statuses === undefined && !isNarrow(filter)
  if (viewer.sees === 'all' && isPlain && before === undefined)
    return (await firstPage(db, limit, offset)).map(toListed)
  let query = allSessions(db)
    .where((eb) => matching(eb, flavor, filter))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
  if (before !== undefined) query = query.where(sql<boolean>`(created_at, id) < (${before.createdAt}, ${before.id})`)
  if (viewer.sees !== 'all') query = query.where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
  return (await query.execute()).map(toListed)
}

const tallyAll = prepare<object>()((db) =>
  db.selectFrom('session_tally').select((eb) => eb.fn.sum<number>('n').as('n')),
)

export async function countSessions(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  viewer: Viewer,
  filter: SessionFilter,
): Promise<number> {
  const { repoId, statuses } = filter
  if (viewer.sees === 'all' && !isNarrow(filter) && filter.archived !== 'only') {
    const hidden =
      filter.archived === 'any' ? 0 : await countSessions(db, flavor, viewer, { ...filter, archived: 'only' })
    if (repoId === undefined && statuses === undefined) return ((await tallyAll(db, {}))[0]?.n ?? 0) - hidden
    let query = db.selectFrom('session_tally').select((eb) => eb.fn.sum<number>('n').as('n'))
    if (repoId !== undefined) query = query.where('repo_id', '=', repoId)
    if (statuses !== undefined) query = query.where('status', 'in', statuses)
    return ((await query.executeTakeFirst())?.n ?? 0) - hidden
  }
  const row = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where((eb) => matching(eb, flavor, filter))
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
    .executeTakeFirst()
  return row?.n ?? 0
}

/** The ids of the sessions a viewer may see, for use in other queries. */
export const sessionsSeenBy = (db: Executor, viewer: Viewer) =>
  db
    .selectFrom('sessions')
    .select('sessions.id')
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))

/** Those of these sessions that a viewer may see. */
export async function sessionsAmong(
  db: Executor,
  viewer: Viewer,
  ids: readonly SessionId[],
): Promise<ReadonlySet<SessionId>> {
  if (ids.length === 0) return new Set()
  const rows = await sessionsSeenBy(db, viewer).where('sessions.id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The workspaces among these in which the viewer may see a session. */
export async function workedIn(db: Executor, viewer: Viewer, roots: readonly string[]): Promise<string[]> {
  if (viewer.sees === 'all' || roots.length === 0) return [...roots]
  const rows = await db
    .selectFrom('sessions')
    .select('workspace_root')
    .distinct()
    .where('workspace_root', 'in', roots)
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
    .execute()
  return rows.map((row) => row.workspace_root)
}

/** Which of these the viewer may see. */
export async function visibleIds(
  db: Executor,
  viewer: Viewer,
  ids: readonly SessionId[],
): Promise<ReadonlySet<SessionId>> {
  if (viewer.sees === 'all' || ids.length === 0) return new Set(ids)
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
    .execute()
  return new Set(rows.map((row) => row.id))
}

const anySession = prepare<{ id: SessionId }>()((db, slots) => allSessions(db).where('sessions.id', '=', slots.id))

export async function getSession(db: Executor, viewer: Viewer, id: SessionId): Promise<Session | undefined> {
  if (viewer.sees === 'all') {
    const [found] = await anySession(db, { id })
    return found && toSession(found)
  }
  const row = await allSessions(db)
    .where('sessions.id', '=', id)
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
    .executeTakeFirst()
  return row && toSession(row)
}

/** From the first session of the lineage to the last, starting from any of them. */
export async function lineageOf(db: Executor, id: SessionId): Promise<SessionId[]> {
  const { rows } = await sql<{ id: SessionId }>`
    with recursive
      back(id, restart_of) as (
        select id, restart_of from sessions where id = ${id}
        union select s.id, s.restart_of from sessions s join back on s.id = back.restart_of),
      line(id, restart_of) as (
        select id, restart_of from back where restart_of is null
        union select s.id, s.restart_of from sessions s join line on s.restart_of = line.id)
    select s.id from line join sessions s on s.id = line.id order by s.created_at, s.id`.execute(db)
  return rows.map((row) => row.id)
}

const longestListed = 1000

/** Lists show only the start of a prompt. */
const toListed = (row: SessionRow): Session =>
  row.prompt !== null && row.prompt.length > longestListed
    ? toSession({ ...row, prompt: `${row.prompt.slice(0, longestListed)}…` })
    : toSession(row)

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  ownerUserId: row.owner_user_id,
  protocolMode: row.protocol_mode,
  status: row.status,
  waiting: Boolean(row.waiting),
  activity: activityOf({
    status: row.status,
    phase: row.agent_phase,
    protocolMode: row.protocol_mode,
    waiting: Boolean(row.waiting),
    inTurn: Boolean(row.in_turn),
    unresponsive: Boolean(row.unresponsive),
  }),
  sleepingSince: row.agent_phase === 'asleep' && !hasEnded(row.status) ? row.phase_since : null,
  queuePosition: row.queue_position === null || row.status !== 'created' ? null : Number(row.queue_position),
  name: row.name,
  pinnedAt: row.pinned_at,
  archivedAt: row.archived_at,
  prompt: row.prompt,
  mode: row.mode,
  workspaceRoot: row.workspace_root,
  workspaceClaimed: row.workspace_claimed !== 0,
  repoId: row.repo_id,
  agent: row.agent,
  agentProvider: row.agent_provider,
  model: row.model,
  effort: row.effort,
  isolation: row.isolation,
  agentGroupId: row.agent_group_id,
  messagingGroupId: row.messaging_group_id,
  threadId: row.thread_id,
  channelId: row.channel_id,
  threadTs: row.thread_ts,
  connectivityStatus: row.connectivity_status,
  containerStatus: row.container_status,
  lastActivityAt: row.last_activity_at,
  lastTool: row.last_tool,
  nudgeCount: row.nudge_count,
  stallPaused: row.stall_paused !== 0,
  stallPausedUntil: row.stall_paused_until,
  progressSnapshot: progressColumn(row.progress_snapshot),
  restartOf: row.restart_of,
  metadata: row.metadata === '{}' ? {} : metadataColumn(row.metadata),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  terminatedAt: row.terminated_at,
})

type DatabaseName = 'sqlite' | 'postgres'

/** Condition on `sessions`: part of any of its names, ignoring case. */
function namedLike(flavor: DatabaseName, q: string): RawBuilder<boolean> {
  const forms = casesOf(q)
  const like = (value: RawBuilder<unknown>, pattern: (form: string) => string) => {
    const word = flavor === 'sqlite' ? sql`like` : sql`ilike`
    const each = forms.map((form) => sql<boolean>`${value} ${word} ${pattern(escaped(form))} escape '!'`)
    return sql<boolean>`(${sql.join(each, sql` or `)})`
  }
  const holds = (value: RawBuilder<unknown>) => like(value, (form) => `%${form}%`)
  return sql<boolean>`(
    ${like(sql`sessions.id`, (form) => `${form}%`)}
    or ${holds(sql`sessions.name`)}
    or ${holds(sql`sessions.prompt`)}
    or ${holds(sql`sessions.agent`)}
    or ${holds(sql`sessions.workspace_root`)}
    or sessions.repo_id in (select repos.id from repos where ${holds(sql`repos.name`)})
    or sessions.id in (select agents.session_id from agents where ${holds(title(flavor))})
    or sessions.id in (select terminals.session_id from terminals
      where ${holds(sql`terminals.name`)} or ${holds(sql`terminals.command`)}))`
}

/** Some databases fold only ASCII case, so other letters are searched in their usual cases. */
const casesOf = (q: string): string[] => {
  if (/^\p{ASCII}*$/u.test(q)) return [q]
  const lower = q.toLowerCase()
  const named = lower.replace(/^\p{L}/u, (first) => first.toUpperCase())
  return [...new Set([q, lower, named, q.toUpperCase()])]
}

const escaped = (text: string): string => text.replaceAll(/[!%_]/g, '!$&')

/** The agent's own title. PostgreSQL can't parse JSON that contains characters it can't store as text. */
const title = (flavor: DatabaseName): RawBuilder<unknown> =>
  flavor === 'sqlite'
    ? sql`json_extract(agents.about, '$.title')`
    : sql`case when position(${'\\u0000'} in agents.about) > 0 or position(${'\\ud'} in agents.about) > 0 then null
        else agents.about::json ->> 'title' end`
