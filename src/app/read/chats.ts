import { listGroups } from '../../domain/agent-group/store.ts'
import { listInstances } from '../../domain/chat-instance/store.ts'
import { belongsTo } from '../../domain/chat/access.ts'
import { listChats, listDestinations, listStrangers, listWirings } from '../../domain/chat/store.ts'
import { isAdmin, type Standing } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

const mostStrangers = 500

/** An admin of the group, or of all. */
const administers = (who: Standing, id: AgentGroupId): boolean =>
  isAdmin(who) || who.grants.some(({ role, agentGroupId }) => role === 'admin' && agentGroupId === id)

/** Agent groups and chats. Members see their groups; wirings, destinations and chats are for those who administer them. */
export function createChatReads({ database, behind }: ReadContext) {
  const { read: db } = database
  return {
    agentGroups: behind('person', async (_viewer, who) =>
      ok((await listGroups(db)).filter(({ id }) => isAdmin(who) || belongsTo(who, id))),
    ),
    wirings: behind('person', async (_viewer, who) =>
      ok((await listWirings(db)).filter(({ agentGroupId }) => administers(who, agentGroupId))),
    ),
    destinations: behind('person', async (_viewer, who) =>
      ok((await listDestinations(db)).filter(({ agentGroupId }) => administers(who, agentGroupId))),
    ),
    /** Admins of a group see the chats it is wired to. */
    chats: behind('person', async (_viewer, who) => {
      const chats = await listChats(db)
      if (isAdmin(who)) return ok(chats)
      const wirings = (await listWirings(db)).filter(({ agentGroupId }) => administers(who, agentGroupId))
      const seen = new Set(wirings.map(({ chatId }) => chatId))
      return ok(chats.filter(({ id }) => seen.has(id)))
    }),
    strangers: behind('admin', async () => ok(await listStrangers(db, mostStrangers))),
    chatInstances: behind('admin', async () => ok(await listInstances(db))),
  }
}
