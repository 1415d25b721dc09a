import { listGroups } from '../../domain/agent-group/store.ts'
import { instanceNamed, listInstances } from '../../domain/chat-instance/store.ts'
import { belongsTo } from '../../domain/chat/access.ts'
import type { ChatInstanceId, MessagingGroupId, WiringId } from '../../domain/chat/id.ts'
import type { Chat, Wiring } from '../../domain/chat/schema.ts'
import { listChats, listDestinations, listStrangers, listWirings } from '../../domain/chat/store.ts'
import { isAdmin, type Standing } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { listMembers } from '../../domain/user/query.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import { needsRole, readOnly } from '../rules.ts'
import type { ReadContext } from './context.ts'

const mostStrangers = 500

/** An admin of the group, or of all. */
const administers = (who: Standing, id: AgentGroupId): boolean =>
  isAdmin(who) || who.grants.some(({ role, agentGroupId }) => role === 'admin' && agentGroupId === id)

export type WiredChat = Chat & { readonly wirings: Wiring[] }

/** Agent groups and chats. Members see their groups; wirings, destinations and chats are for those who administer them. */
export function createChatReads({ database, behind }: ReadContext) {
  const { read: db } = database

  const visibleGroups = async (who: Standing) =>
    (await listGroups(db)).filter(({ id }) => isAdmin(who) || belongsTo(who, id))

  const visibleWirings = async (who: Standing) =>
    (await listWirings(db)).filter(({ agentGroupId }) => administers(who, agentGroupId))

  /** Admins of a group see the chats it is wired to. */
  async function visibleChats(who: Standing): Promise<WiredChat[]> {
    const wirings = Map.groupBy(await visibleWirings(who), ({ chatId }) => chatId)
    return (await listChats(db))
      .filter(({ id }) => isAdmin(who) || wirings.has(id))
      .map((chat) => Object.assign(chat, { wirings: wirings.get(chat.id) ?? [] }))
  }

  return {
    agentGroups: behind('person', async (_viewer, who) => ok(await visibleGroups(who))),
    agentGroup: behind('person', async (_viewer, who, id: AgentGroupId) =>
      found('agent_group', await visibleGroups(who), id),
    ),
    groupMembers: behind('person', async (_viewer, who, id: AgentGroupId) => {
      const group = found('agent_group', await visibleGroups(who), id)
      if (!group.ok) return group
      return administers(who, id) ? ok(await listMembers(db, id)) : needsRole('admin')
    }),
    wirings: behind('person', async (_viewer, who) => ok(await visibleWirings(who))),
    wiring: behind('person', async (_viewer, who, id: WiringId) => found('wiring', await visibleWirings(who), id)),
    destinations: behind('person', async (_viewer, who) =>
      ok((await listDestinations(db)).filter(({ agentGroupId }) => administers(who, agentGroupId))),
    ),
    chats: behind('person', async (_viewer, who) => ok(await visibleChats(who))),
    chat: behind('person', async (_viewer, who, id: MessagingGroupId) => found('chat', await visibleChats(who), id)),
    strangers: behind('person', async (_viewer, who) => {
      const all = await listStrangers(db, mostStrangers)
      if (isAdmin(who)) return ok(all)
      const seen = new Set((await visibleChats(who)).map(({ id }) => id))
      return ok(
        all.filter(
          ({ chatId, agentGroupId }) =>
            (agentGroupId !== null && administers(who, agentGroupId)) || (chatId !== null && seen.has(chatId)),
        ),
      )
    }),
    chatInstances: behind('admin', async () => ok(await listInstances(db))),
    chatInstance: behind('admin', async (_viewer, _who, id: ChatInstanceId) =>
      found('instance', await listInstances(db), id),
    ),
    /** For edges that ask a platform before they dispatch. */
    mayRunInstances: behind('owner', async (_viewer, who) => readOnly(who.actor) ?? ok(null)),
    mayLookAtPlatforms: behind('admin', async () => ok(null)),
    /** An instance that is added again keeps its id, for which its credentials are encrypted. */
    removedInstanceNamed: behind('owner', async (_viewer, _who, name: string) => {
      const instance = await instanceNamed(db, name)
      return ok(instance && instance.removedAt !== null ? instance.id : null)
    }),
  }
}

function found<T extends { readonly id: string }>(what: string, all: readonly T[], id: string): Result<T> {
  const one = all.find((each) => each.id === id)
  return one ? ok(one) : notFound(what, id)
}
