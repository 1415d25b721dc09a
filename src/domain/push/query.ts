import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { askKinds, isAdministrative } from '../ask/kinds.ts'
import type { UserId } from '../user/id.ts'
import type { PushDevice } from './schema.ts'

/** Oldest first. */
export async function listDevices(db: Executor, userId: UserId, endpoint?: string): Promise<PushDevice[]> {
  let query = db
    .selectFrom('push_devices')
    .select(['id', 'name', 'endpoint', 'created_at', 'last_seen_at', 'last_error'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
  if (endpoint !== undefined) query = query.where('endpoint', '=', endpoint)
  return (await query.execute()).map((row) => ({
    id: row.id,
    name: row.name,
    endpointHost: new URL(row.endpoint).host,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    lastError: row.last_error,
  }))
}

const administrative = askKinds.filter(isAdministrative)

/** Open asks a person may answer, and open alerts of sessions they operate: the number on their badge. */
export async function countWaiting(
  db: Executor,
  {
    userId,
    admin,
    adminsMayAnswer,
    separateRequester,
  }: { userId: UserId; admin: boolean; adminsMayAnswer: boolean; separateRequester: boolean },
): Promise<number> {
  const everywhere = admin && adminsMayAnswer
  const sessions = db.selectFrom('sessions').select('sessions.id')
  const lent = db.selectFrom('session_delegates').select('session_id').where('user_id', '=', userId)
  const operated = everywhere
    ? sessions
    : sessions.where((eb) => eb.or([eb('owner_user_id', '=', userId), eb('sessions.id', 'in', lent)]))
  const asks = await db
    .selectFrom('asks')
    .leftJoin('sessions as s', 's.id', 'asks.session_id')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('asks.status', '=', 'open')
    // A person who has voted waits for others.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('ask_votes')
            .select('ask_votes.ask_id')
            .whereRef('ask_votes.ask_id', '=', 'asks.id')
            .where('ask_votes.user_id', '=', userId),
        ),
      ),
    )
    .where((eb) => {
      const mine = eb('asks.session_id', 'in', operated)
      const named = eb('asks.answerers', 'like', `%"${userId}"%`)
      // If the owner is named, everyone who operates the session may answer too.
      const besideOwner = eb.and([mine, sql<boolean>`asks.answerers like '%"' || s.owner_user_id || '"%'`])
      const unnamed = eb('asks.answerers', 'is', null)
      const noGroup = eb('asks.agent_group_id', 'is', null)
      const forAdmins = eb.and([
        noGroup,
        eb.or([eb('asks.session_id', 'is', null), eb('asks.kind', 'in', administrative)]),
      ])
      const mineToAdminister = eb
        .selectFrom('user_roles')
        .select('user_roles.agent_group_id')
        .where('user_roles.user_id', '=', userId)
        .where('role', '=', 'admin')
      const aboutGroup = eb.and([
        eb('asks.agent_group_id', 'is not', null),
        ...(admin ? [] : [eb('asks.agent_group_id', 'in', mineToAdminister)]),
        ...(separateRequester
          ? [eb.or([eb('asks.requested_by', 'is', null), eb('asks.requested_by', '!=', userId)])]
          : []),
      ])
      return eb.or([
        named,
        besideOwner,
        aboutGroup,
        ...(admin ? [eb.and([unnamed, forAdmins])] : []),
        eb.and([unnamed, eb('asks.kind', 'not in', administrative), mine]),
      ])
    })
    .executeTakeFirst()
  const alerts = await db
    .selectFrom('stall_alerts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('status', 'in', ['pending', 'nudged', 'escalated'])
    .where('closed_at', 'is', null)
    .where('session_id', 'in', operated)
    .executeTakeFirst()
  return (asks?.n ?? 0) + (alerts?.n ?? 0)
}
