import { sql, type Selectable } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson } from '../../lib/json.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import type { MessagingGroupId } from '../chat/id.ts'
import { webPlatform } from '../chat/web-chat.ts'
import type { ChatPost, ChatPostId, NewPostPart, PostBody, PostPlace, PostSubject } from './records.ts'
import type { ChatPostTables } from './table.ts'

const contentColumn = jsonColumn('chat_posts.content', isTaggedBy<PostBody>('kind'))

const toPost = (row: Selectable<ChatPostTables['chat_posts']>): ChatPost => ({
  id: row.id,
  instanceId: row.instance_id,
  chatId: row.messaging_group_id,
  thread: row.thread_id,
  sessionId: row.session_id,
  subject: { kind: row.subject_kind, id: row.subject_id },
  part: row.part,
  revision: row.revision,
  content: contentColumn(row.content),
  replyTo: row.reply_to,
  platformMessageId: row.platform_message_id,
  sentRevision: row.sent_revision,
  prepared: row.prepared,
  firstTryAt: row.first_try_at,
  lookedTo: row.looked_to,
  resentAt: row.resent_at,
  createdAt: row.created_at,
})

/** Makes a post, or changes it: its revision grows only if the content differs. */
export async function writePost(tx: Tx, post: NewPostPart, at: string): Promise<ChatPost> {
  const text = canonicalJson(post.content)
  const id = newId<ChatPostId>()
  const made = await tx
    .insertInto('chat_posts')
    .values({
      id,
      instance_id: post.instanceId,
      messaging_group_id: post.chatId,
      thread_id: post.thread,
      session_id: post.sessionId,
      subject_kind: post.subject.kind,
      subject_id: post.subject.id,
      part: post.part,
      revision: 1,
      content: text,
      platform_message_id: null,
      sent_revision: null,
      created_at: at,
      updated_at: at,
      prepared: null,
      first_try_at: null,
      sent_at: null,
      reply_to: post.replyTo,
      looked_to: null,
      resent_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (made) {
    if (post.content.kind === 'message' && post.content.file !== null && post.file)
      await tx
        .insertInto('chat_files')
        .values({ post_id: id, name: post.content.file, content: post.file.toString('base64') })
        .execute()
    return toPost(made)
  }
  await tx
    .updateTable('chat_posts')
    .set((eb) => ({ content: text, revision: eb('revision', '+', 1), updated_at: at }))
    .where('id', 'in', atPlace(tx, post).select('id'))
    .where('content', '!=', text)
    .execute()
  return toPost(await atPlace(tx, post).selectAll().executeTakeFirstOrThrow())
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

/** The file of a post; undefined once it was sent. */
export async function loadPostFile(db: Executor, id: ChatPostId): Promise<{ name: string; bytes: Buffer } | undefined> {
  const row = await db.selectFrom('chat_files').selectAll().where('post_id', '=', id).executeTakeFirst()
  return row && { name: row.name, bytes: Buffer.from(row.content, 'base64') }
}

/** Everywhere that something was posted, in order. */
export async function postsAbout(db: Executor, subject: PostSubject): Promise<ChatPost[]> {
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

/** How many messages a text was split into the last time, at this place. */
export async function partsAt(
  db: Executor,
  { subject, chatId, thread }: Pick<PostPlace, 'subject' | 'chatId' | 'thread'>,
): Promise<number> {
  const row = await db
    .selectFrom('chat_posts')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .where('messaging_group_id', '=', chatId)
    // As in the index.
    .where(sql<string>`coalesce(thread_id, '')`, '=', thread ?? '')
    .executeTakeFirst()
  return Number(row?.n ?? 0)
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

/** The last message of ours before this one, in the same thread or chat; what is in doubt is looked for after it. */
export async function lastSentBefore(db: Executor, post: ChatPost, within: 'thread' | 'chat'): Promise<string | null> {
  const row = await db
    .selectFrom('chat_posts')
    .select('platform_message_id as id')
    .where('messaging_group_id', '=', post.chatId)
    .$if(within === 'thread', (query) => query.where('thread_id', post.thread === null ? 'is' : '=', post.thread))
    .where('sent_at', 'is not', null)
    .where('sent_at', '<=', post.firstTryAt ?? post.createdAt)
    .orderBy('sent_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Written before each attempt, so that an attempt that is cut off can be looked for. */
export async function noteAttempt(db: Executor, id: ChatPostId, prepared: string | null, at: string): Promise<void> {
  await db
    .updateTable('chat_posts')
    .set((eb) => ({ prepared, first_try_at: eb.fn.coalesce('first_try_at', eb.val(at)) }))
    .where('id', '=', id)
    .execute()
}

/** How far it was looked for; the next search begins there. */
export const noteLooked = (db: Executor, id: ChatPostId, lookedTo: string) =>
  db.updateTable('chat_posts').set({ looked_to: lookedTo }).where('id', '=', id).execute()

/** Written before it is sent again without knowing. */
export const noteResent = (db: Executor, id: ChatPostId, at: string) =>
  db.updateTable('chat_posts').set({ resent_at: at }).where('id', '=', id).execute()

/** Which of these messages in a chat are known to be ours. */
export async function ownAmong(
  db: Executor,
  chatId: MessagingGroupId,
  messageIds: readonly string[],
): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('chat_posts')
    .select('platform_message_id as id')
    .where('messaging_group_id', '=', chatId)
    .where('platform_message_id', 'in', messageIds)
    .execute()
  return new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])))
}

/** An older revision never replaces a newer one. */
export async function noteSent(
  tx: Tx,
  id: ChatPostId,
  sent: { revision: number; messageId: string },
  at: string,
): Promise<void> {
  await tx
    .updateTable('chat_posts')
    .set((eb) => ({
      sent_revision: sent.revision,
      platform_message_id: sent.messageId,
      sent_at: eb.fn.coalesce('sent_at', eb.val(at)),
    }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('sent_revision', 'is', null), eb('sent_revision', '<', sent.revision)]))
    .execute()
  // The web chat shows files from here; there is no other copy.
  await tx
    .deleteFrom('chat_files')
    .where('post_id', '=', id)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('chat_posts')
            .innerJoin('chat_instances', 'chat_instances.id', 'chat_posts.instance_id')
            .select('chat_posts.id')
            .where('chat_posts.id', '=', id)
            .where('chat_instances.platform', '=', webPlatform),
        ),
      ),
    )
    .execute()
}
