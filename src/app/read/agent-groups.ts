import { listCredentials } from '../../domain/credential/store.ts'
import { isPausedByGroup, periodStart } from '../../domain/agent-group/budget.ts'
import { liveSessionsOf, pausedSessionsOf } from '../../domain/agent-group/query.ts'
import { listGroups, loadGroup, loadInstructions } from '../../domain/agent-group/store.ts'
import { loadContainerConfig } from '../../domain/agent-group/store-container-config.ts'
import { spentSince } from '../../domain/agent-group/store-spending.ts'
import { belongsTo } from '../../domain/chat/access.ts'
import { linksOfGroup } from '../../domain/chat/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { loadSession } from '../../domain/session/store.ts'
import { isAdmin, type Standing } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { approversOf, listMembers } from '../../domain/user/query.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import { readsAsAgentOf } from '../agent-group/cli-scope.ts'
import { settingsOf, type GroupSettings, type SessionChoices } from '../agent-group/settings.ts'
import { agentsMayNot, needsRole } from '../rules.ts'
import type { ReadContext } from './context.ts'

/** An admin of the group, or of all; and for its own group an agent whose CLI scope lets it read (C10). */
export const administers = (who: Standing, id: AgentGroupId): boolean =>
  isAdmin(who) ||
  readsAsAgentOf(who) === id ||
  who.grants.some(({ role, agentGroupId }) => role === 'admin' && agentGroupId === id)

/** Agent groups: how they run, and what hangs on them. */
export function createGroupReads({ database, behind }: ReadContext) {
  const { read: db } = database

  const visibleGroups = async (who: Standing) =>
    (await listGroups(db)).filter(({ id }) => isAdmin(who) || readsAsAgentOf(who) === id || belongsTo(who, id))

  /** Others do not learn that the group exists. */
  async function visibleGroup(who: Standing, id: AgentGroupId) {
    const group = (await visibleGroups(who)).find((one) => one.id === id)
    return group ? ok(group) : notFound('agent_group', id)
  }

  /** For those who administer it. */
  const administered = <T>(look: (id: AgentGroupId, who: Standing, now: string) => Promise<Result<T>>) =>
    behind('insider', async (_viewer, who, id: AgentGroupId, now?: string): Promise<Result<T>> => {
      const group = await visibleGroup(who, id)
      if (!group.ok) return group
      return administers(who, id) ? look(id, who, now ?? '') : needsRole('admin')
    })

  async function config(id: AgentGroupId) {
    const found = await loadContainerConfig(db, id)
    return found ? ok(found) : notFound('agent_group', id)
  }

  return {
    agentGroups: behind('insider', async (_viewer, who) => ok(await visibleGroups(who))),
    agentGroup: behind('insider', (_viewer, who, id: AgentGroupId) => visibleGroup(who, id)),
    groupMembers: administered(async (id) => ok(await listMembers(db, id))),
    /** Without their values; agents do not see which there are. */
    credentials: administered(async (id, who) =>
      who.actor.kind === 'agent' ? agentsMayNot() : ok(await listCredentials(db, id)),
    ),
    groupConfig: administered(config),
    groupInstructions: administered(async (id) => ok(await loadInstructions(db, id))),
    /** What is removed with it, and what stays without it. */
    groupDependents: administered(async (id) => {
      const { wirings, destinations } = await linksOfGroup(db, id)
      const members = await listMembers(db, id)
      return ok({
        wirings: wirings.length,
        destinations: destinations.length,
        members: members.length,
        sessions: (await liveSessionsOf(db, id)).length,
      })
    }),
    /** What its sessions spent in the current period of its budget; in this month if it has none. */
    groupSpending: administered(async (id, _who, now) => {
      const found = await config(id)
      if (!found.ok) return found
      const { budget } = found.value
      const period = budget?.period ?? 'month'
      const since = periodStart({ period }, now)
      return ok({ ...(await spentSince(db, id, since)), period, since, budget })
    }),
    /** How a session of this group runs. No permission check here: it happens when a session is started. */
    groupSettings: async (id: AgentGroupId, choices: SessionChoices = {}): Promise<GroupSettings | null> => {
      const group = await loadGroup(db, id)
      const found = group && (await loadContainerConfig(db, id))
      return found ? settingsOf(group, found, await loadInstructions(db, id), choices) : null
    },
    /** B6: the budget of a session's agent group, and what is spent of it; null if there is none. */
    budgetOfSession: async (sessionId: SessionId, now: string) => {
      const session = await loadSession(db, sessionId)
      const id = session?.agentGroupId ?? null
      const group = id === null ? undefined : await loadGroup(db, id)
      const budget = group && (await loadContainerConfig(db, group.id))?.budget
      if (!group || !budget) return null
      const since = periodStart(budget, now)
      const spent = await spentSince(db, group.id, since)
      return { id: group.id, name: group.name, budget, since, spent, approvers: await approversOf(db, group.id) }
    },
    /** Its sessions that wait for an answer about its budget. */
    pausedByBudget: async (id: AgentGroupId) =>
      (await pausedSessionsOf(db, id))
        .filter(({ metadata }) => isPausedByGroup(metadata['reason']))
        .map((one) => one.id),
    /** The group itself, also for callers who can't see it. */
    groupRow: async (id: AgentGroupId) => {
      const group = await loadGroup(db, id)
      return group && group.removedAt === null ? group : null
    },
  }
}
