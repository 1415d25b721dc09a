import type { Executor, Tx } from '../../db/open.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson, type Json } from '../../lib/json.ts'
import { anyJson, jsonColumn } from '../../lib/parse-json.ts'
import type { MessagingGroupId } from '../chat/id.ts'
import type { ChatPost, ChatPostId, PostPlace } from './records.ts'
import type { ChatPostTables } from './table.ts'

const contentColumn = jsonColumn('chat_posts.content', anyJson)

const toPost = (row: ChatPostTables['chat_posts']): ChatPost => ({
  id: row.id,
  instanceId: row.instance_id,
  chatId: row.messaging_group_id,
  thread: row.thread_id,
  sessionId: row.session_id,
  subject: { kind: row.subject_kind, id: row.subject_id },
  part: row.part,
  revision: row.revision,
  content: contentColumn(row.content),
  platformMessageId: row.platform_message_id,
  sentRevision: row.sent_revision,
  createdAt: row.created_at,
})

/** Makes a post, or changes it: its revision grows only if the content differs. */
export async function writePost(tx: Tx, place: PostPlace, content: Json, at: string): Promise<ChatPost> {
  const text = canonicalJson(content)
  await tx
    .insertInto('chat_posts')
    .values({
      id: newId<ChatPostId>(),
      instance_id: place.instanceId,
      messaging_group_id: place.chatId,
      thread_id: place.thread,
      session_id: place.sessionId,
      subject_kind: place.subject.kind,
      subject_id: place.subject.id,
      part: place.part,
      revision: 1,
      content: text,
      platform_message_id: null,
      sent_revision: null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const found = atPlace(tx, place)
  await tx
    .updateTable('chat_posts')
    .set((eb) => ({ content: text, revision: eb('revision', '+', 1), updated_at: at }))
    .where('id', 'in', found.select('id'))
    .where('content', '!=', text)
    .execute()
  return toPost(await atPlace(tx, place).selectAll().executeTakeFirstOrThrow())
}

const atPlace = (db: Executor, { chatId, thread, subject, part }: PostPlace) =>
  db
    .selectFrom('chat_posts')
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .where('messaging_group_id', '=', chatId)
    .where('thread_id', thread === null ? 'is' : '=', thread)
    .where('part', '=', part)

export async function loadPost(db: Executor, id: ChatPostId): Promise<ChatPost | undefined> {
  const row = await db.selectFrom('chat_posts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toPost(row)
}

/** Everywhere that something was posted, in order. */
export async function postsAbout(db: Executor, subject: PostPlace['subject']): Promise<ChatPost[]> {
  const rows = await db
    .selectFrom('chat_posts')
    .selectAll()
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .orderBy('created_at')
    .orderBy('part')
    .execute()
  return rows.map(toPost)
}

export async function postByMessage(
  db: Executor,
  chatId: MessagingGroupId,
  platformMessageId: string,
): Promise<ChatPost | undefined> {
  const row = await db
    .selectFrom('chat_posts')
    .selectAll()
    .where('messaging_group_id', '=', chatId)
    .where('platform_message_id', '=', platformMessageId)
    .executeTakeFirst()
  return row && toPost(row)
}

/** An older revision never replaces a newer one. */
export async function noteSent(
  db: Executor,
  id: ChatPostId,
  revision: number,
  platformMessageId: string,
): Promise<void> {
  await db
    .updateTable('chat_posts')
    .set({ sent_revision: revision, platform_message_id: platformMessageId })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('sent_revision', 'is', null), eb('sent_revision', '<', revision)]))
    .execute()
}
