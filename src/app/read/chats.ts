import { instanceNamed, listInstances } from '../../domain/chat-instance/store.ts'
import type { ChatInstanceId, MessagingGroupId, WiringId } from '../../domain/chat/id.ts'
import type { Chat, Wiring } from '../../domain/chat/schema.ts'
import { listChats, listDestinations, listStrangers, listWirings } from '../../domain/chat/store.ts'
import { isAdmin, type Standing } from '../../domain/user/actor.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import { readOnly } from '../rules.ts'
import { administers } from './agent-groups.ts'
import type { ReadContext } from './context.ts'

const mostStrangers = 500

export type WiredChat = Chat & { readonly wirings: Wiring[] }

/** Chats, wirings and destinations, for those who administer the agent groups. */
export function createChatReads({ database, behind }: ReadContext) {
  const { read: db } = database

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
    wirings: behind('insider', async (_viewer, who) => ok(await visibleWirings(who))),
    wiring: behind('insider', async (_viewer, who, id: WiringId) => found('wiring', await visibleWirings(who), id)),
    destinations: behind('insider', async (_viewer, who) =>
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
