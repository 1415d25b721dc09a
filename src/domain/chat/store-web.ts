import type { Executor } from '../../db/open.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import type { PostBody } from '../chat-post/records.ts'
import type { IncomingMessage } from './incoming.ts'
import type { InboxStatus } from './records.ts'
import type { ChatInstanceId, MessagingGroupId } from './id.ts'
import { eventColumn, nothing } from './store-inbox.ts'

/** A place in the history: messages before it are read. */
export type WebPlace = { readonly at: string; readonly id: string }

export type WebIncoming = {
  readonly id: string
  readonly at: string
  readonly message: IncomingMessage
  readonly status: InboxStatus
  readonly error: string | null
}

/** Messages of a person in a web chat, newest first. Their keys begin with the id of the chat. */
export async function webIncoming(
  db: Executor,
  { instanceId, chatId }: { instanceId: ChatInstanceId; chatId: string },
  before: WebPlace | null,
  limit: number,
): Promise<WebIncoming[]> {
  let query = db
    .selectFrom('chat_inbox')
    .select(['event_key as id', 'received_at as at', 'body', 'status', 'error'])
    .where('instance_id', '=', instanceId)
    .where('event_key', '>', `${chatId}/`)
    .where('event_key', '<', `${chatId}0`)
    .where('kind', '=', 'message')
    .where('body', '!=', nothing)
  if (before)
    query = query.where((eb) =>
      eb.or([
        eb('received_at', '<', before.at),
        eb.and([eb('received_at', '=', before.at), eb('event_key', '<', before.id)]),
      ]),
    )
  const rows = await query.orderBy('received_at', 'desc').orderBy('event_key', 'desc').limit(limit).execute()
  return rows.flatMap(({ body, ...row }) => {
    const message = eventColumn(body)
    return message.kind === 'message' ? [{ ...row, message }] : []
  })
}

export type WebPost = { readonly id: string; readonly at: string; readonly content: PostBody }

const contentColumn = jsonColumn('chat_posts.content', isTaggedBy<PostBody>('kind'))

/** Our messages in a web chat, newest first. */
export async function webPosts(
  db: Executor,
  chatId: MessagingGroupId,
  before: WebPlace | null,
  limit: number,
): Promise<WebPost[]> {
  let query = db
    .selectFrom('chat_posts')
    .select(['id', 'created_at as at', 'content'])
    .where('messaging_group_id', '=', chatId)
  if (before)
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '<', before.at),
        eb.and([eb('created_at', '=', before.at), eb('id', '<', before.id as never)]),
      ]),
    )
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(({ id, at, content }) => ({ id, at, content: contentColumn(content) }))
}
