import type { Executor } from '../../db/open.ts'
import type { AskId } from '../ask/id.ts'
import { subjectColumn } from '../ask/store.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { MessagingGroupId } from './id.ts'

/** Someone who wants in: a sender in a chat, or the chat itself if there is no identity. */
export type Knock = {
  readonly chatId: MessagingGroupId
  readonly identity: string | null
  readonly agentGroupId: AgentGroupId
}

const bare = ({ identity }: Pick<Knock, 'identity'>) => identity ?? ''

/** Strangers who have not written for long. */
export const forgetStrangers = (db: Executor, before: string) =>
  db.deleteFrom('unregistered_senders').where('last_seen', '<', before).execute()

/** Who was let in is a stranger there no longer. */
export const forgetStranger = (db: Executor, chatId: MessagingGroupId, identity: string) =>
  db
    .deleteFrom('unregistered_senders')
    .where('messaging_group_id', '=', chatId)
    .where('user_id', '=', identity)
    .execute()

export async function askOfKnock(db: Executor, knock: Knock): Promise<AskId | undefined> {
  const row = await db
    .selectFrom('chat_knocks')
    .select('ask_id')
    .where('messaging_group_id', '=', knock.chatId)
    .where('identity', '=', bare(knock))
    .where('agent_group_id', '=', knock.agentGroupId)
    .executeTakeFirst()
  return row?.ask_id
}

/** Sets the ask of a knock, unless another one was set meanwhile; returns the one that holds. */
export async function setAskOfKnock(
  db: Executor,
  knock: Knock,
  askId: AskId,
  before: AskId | undefined,
  at: string,
): Promise<AskId> {
  if (before === undefined)
    await db
      .insertInto('chat_knocks')
      .values({
        messaging_group_id: knock.chatId,
        identity: bare(knock),
        agent_group_id: knock.agentGroupId,
        ask_id: askId,
        at,
      })
      .onConflict((conflict) => conflict.columns(['messaging_group_id', 'identity', 'agent_group_id']).doNothing())
      .execute()
  else await db.updateTable('chat_knocks').set({ ask_id: askId, at }).where('ask_id', '=', before).execute()
  return (await askOfKnock(db, knock)) ?? askId
}

export async function knockOfAsk(db: Executor, askId: AskId): Promise<Knock | undefined> {
  const row = await db.selectFrom('chat_knocks').selectAll().where('ask_id', '=', askId).executeTakeFirst()
  return row && { chatId: row.messaging_group_id, identity: row.identity || null, agentGroupId: row.agent_group_id }
}

const openKnocks = (db: Executor) =>
  db
    .selectFrom('chat_knocks')
    .innerJoin('asks', 'asks.id', 'chat_knocks.ask_id')
    .select('asks.subject')
    .where('asks.status', '=', 'open')

/** How many senders of a chat wait for an answer. */
export const countWaiting = async (db: Executor, chatId: MessagingGroupId): Promise<number> =>
  (await openKnocks(db).where('messaging_group_id', '=', chatId).where('identity', '!=', '').execute()).length

/** Who wrote first in each of the chats that wait for an answer. */
export async function whoseChatsWait(db: Executor): Promise<(string | null)[]> {
  const rows = await openKnocks(db).where('identity', '=', '').execute()
  return rows.map((row) => {
    const subject = subjectColumn(row.subject)
    return subject.kind === 'new_chat' ? (subject.identity ?? null) : null
  })
}
