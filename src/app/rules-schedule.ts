import { isAdmin } from '../domain/user/actor.ts'
import { notFound } from '../lib/result.ts'
import type { CommandOf } from './command.ts'
import { allow, agentsMayNot, forbid, groupAdmins, rule, type PermissionRule } from './rules.ts'
import { driving, mayPlan } from './rules-machine.ts'

/** C8: a schedule starts sessions as its creator, so nobody makes one for someone else. */
export const mayCreateSchedule: PermissionRule<CommandOf<'schedule.create'>> = rule(
  'any person for themselves, where they may start sessions or write to the session. Agents of a session, for its owner, in the same place',
  (grounds, { sessionId }) => {
    const { actor } = grounds.standing
    if (actor.kind === 'policy') return agentsMayNot()
    if (actor.kind === 'agent')
      return actor.sessionId === null
        ? forbid('not_permitted', 'This token has no session to make a schedule for.', 'Connect over MCP.')
        : allow
    return sessionId === null ? mayPlan(grounds) : driving(grounds, undefined)
  },
)

const creatorOnly = () =>
  forbid('not_owner', 'Only the creator of a schedule can do this.', 'Its runs are sessions of its creator.')

/** What changes or starts runs: they act as the creator. */
export const planner: PermissionRule = rule(
  'its creator; agents of the creator, for schedules of their session or agent group',
  ({ standing, schedule }) => {
    const { actor } = standing
    if (actor.kind === 'system' || !schedule) return allow
    if (actor.kind === 'policy') return agentsMayNot()
    if (actor.kind === 'agent') return schedule.ofAgent ? allow : notFound('schedule', schedule.id)
    if (schedule.ownerUserId === actor.userId) return allow
    const { agentGroupId: group } = schedule
    const reads =
      isAdmin(standing) ||
      (group !== null &&
        (standing.memberOf.includes(group) || standing.grants.some((grant) => grant.agentGroupId === group)))
    return reads ? creatorOnly() : notFound('schedule', schedule.id)
  },
)

export const stopper: PermissionRule = rule(
  `${planner.who}; admins and owners, and the agent group's admins`,
  (grounds) => {
    const refused = planner(grounds, undefined)
    const { schedule, standing } = grounds
    if (!refused || !schedule || standing.actor.kind !== 'person') return refused
    if (isAdmin(standing)) return allow
    const { agentGroupId } = schedule
    return agentGroupId !== null && groupAdmins(grounds, { agentGroupId }) === allow ? allow : refused
  },
)
