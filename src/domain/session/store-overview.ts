import { sql, type RawBuilder } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Viewer } from '../user/actor.ts'
import type { SessionId } from './id.ts'
import type { OverviewBy, OverviewRow } from './overview.ts'

const ownerOf = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('sessions').select('owner_user_id').where('id', '=', slots.id),
)
const lastOf = prepare<{ id: SessionId }>()((db, slots) =>
  db
    .selectFrom('session_days')
    .select('last_cost_usd')
    .where('session_id', '=', slots.id)
    .where('last_cost_usd', 'is not', null)
    .orderBy('day', 'desc')
    .limit(1),
)

/** Adds what a session cost since its agent's last report to the day. The same report twice adds nothing. */
export async function noteCost(tx: Tx, id: SessionId, cost: number | null, at: string): Promise<void> {
  if (cost === null) return
  const last = (await lastOf(tx, { id }))[0]?.last_cost_usd ?? null
  if (last === cost) return
  const owner = (await ownerOf(tx, { id }))[0]?.owner_user_id
  if (owner === undefined) return
  // Agents report totals; a smaller one means that the agent restarted its count.
  const more = last !== null && cost >= last ? cost - last : cost
  await tx
    .insertInto('session_days')
    .values({ session_id: id, day: at.slice(0, 10), person: owner, cost_usd: more, last_cost_usd: cost })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'day', 'person'])
        .doUpdateSet({ cost_usd: sql<number>`session_days.cost_usd + ${more}`, last_cost_usd: cost }),
    )
    .execute()
}

type Sums = {
  key: string
  sessions: number | string
  cost: number | string
  asks: number | string
  answered: number | string
  automatic: number | string
  waited: number | string
}

const sums = sql`sum(sessions) as sessions, sum(cost_usd) as cost, sum(asks) as asks, sum(answered) as answered,
  sum(automatic) as automatic, sum(waited_ms) as waited`
const ofTotals: Readonly<Record<OverviewBy, RawBuilder<string>>> = {
  day: sql`day`,
  agent: sql`agent`,
  repo: sql`repo_id`,
  person: sql`person`,
}
const ofSessions: Readonly<Record<OverviewBy, RawBuilder<string>>> = {
  day: sql`days.day`,
  agent: sql`coalesce(sessions.agent, '')`,
  repo: sql`coalesce(sessions.repo_id, '')`,
  person: sql`days.person`,
}
const ofStarts: Readonly<Record<OverviewBy, RawBuilder<string>>> = {
  ...ofSessions,
  day: sql`substr(sessions.created_at, 1, 10)`,
  person: sql`sessions.owner_user_id`,
}
const daySums = sql`0 as sessions, sum(days.cost_usd) as cost, sum(days.asks) as asks,
  sum(days.answered) as answered, sum(days.automatic) as automatic, sum(days.waited_ms) as waited`

export type Span = { readonly from: string; readonly to: string }

/** The totals that a viewer may see. Only sessions delegated to them are read one by one. */
export async function overviewOf(
  db: Executor,
  viewer: Viewer,
  { from, to }: Span,
  by: OverviewBy,
): Promise<OverviewRow[]> {
  if (viewer.sees === 'nothing' || viewer.sees === 'agent') return []
  const within = sql`day >= ${from} and day <= ${to}`
  if (viewer.sees === 'all') {
    const all = sql<Sums>`select ${ofTotals[by]} as key, ${sums} from overview_days where ${within} group by 1`
    return merged((await all.execute(db)).rows)
  }
  const { userId, groups } = viewer
  const mine = (owner: RawBuilder<unknown>, group: RawBuilder<unknown>) =>
    groups.length === 0
      ? sql`${owner} = ${userId}`
      : sql`(${owner} = ${userId} or ${group} in (${sql.join([...groups])}))`
  const own = sql<Sums>`select ${ofTotals[by]} as key, ${sums} from overview_days
    where ${within} and ${mine(sql`owner_user_id`, sql`agent_group_id`)} group by 1`
  const others = sql`session_delegates.user_id = ${userId}
      and not ${mine(sql`sessions.owner_user_id`, sql`coalesce(sessions.agent_group_id, '')`)}`
  const lent = sql<Sums>`select ${ofSessions[by]} as key, ${daySums}
    from session_delegates join sessions on sessions.id = session_delegates.session_id
      join session_days as days on days.session_id = sessions.id
    where days.day >= ${from} and days.day <= ${to} and ${others} group by 1`
  // What a session has on a day does not say that it was started.
  const started = sql<Sums>`select ${ofStarts[by]} as key, count(*) as sessions, 0 as cost, 0 as asks, 0 as answered,
      0 as automatic, 0 as waited
    from session_delegates join sessions on sessions.id = session_delegates.session_id
    where substr(sessions.created_at, 1, 10) >= ${from} and substr(sessions.created_at, 1, 10) <= ${to} and ${others} group by 1`
  const all = [own, lent, started].map(async (query) => (await query.execute(db)).rows)
  return merged((await Promise.all(all)).flat())
}

/** Rows of the same key together; those without anything are left out. */
function merged(rows: readonly Sums[]): OverviewRow[] {
  return [...Map.groupBy(rows, ({ key }) => key)]
    .map(([key, same]) => {
      const sum = (of: (row: Sums) => number | string) => same.reduce((all, row) => all + Number(of(row)), 0)
      return {
        key,
        sessions: sum((row) => row.sessions),
        // Sums of reports leave the last bits of their differences.
        costUsd: Math.round(sum((row) => row.cost) * 1e6) / 1e6,
        asks: sum((row) => row.asks),
        answered: sum((row) => row.answered),
        automatic: sum((row) => row.automatic),
        waitedSeconds: Math.round(sum((row) => row.waited) / 1000),
      }
    })
    .filter(({ sessions, costUsd, asks }) => sessions !== 0 || costUsd !== 0 || asks !== 0)
}
