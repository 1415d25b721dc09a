import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { SessionId } from '../session/id.ts'
import {
  isOpen,
  type Message,
  type MessageChange,
  type MessageContent,
  type MessageId,
  type MessageRole,
} from './schema.ts'
import { searchWords } from './search-words.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'

const insert = prepare<{ id: MessageId; sessionId: SessionId; role: MessageRole; content: string; at: string }>()(
  (db, slots) =>
    db.insertInto('messages').values({
      id: slots.id,
      session_id: slots.sessionId,
      role: slots.role,
      content: slots.content,
      timestamp: slots.at,
    }),
)

const update = prepare<{ id: MessageId; content: string }>()((db, slots) =>
  db.updateTable('messages').set({ content: slots.content }).where('id', '=', slots.id),
)

const index = prepare<{ id: MessageId; sessionId: SessionId; words: string }>()((db, slots) =>
  db.insertInto('message_words').values({ message_id: slots.id, session_id: slots.sessionId, words: slots.words }),
)

export async function projectMessage(tx: Tx, change: MessageChange, at: string): Promise<void> {
  const { id, sessionId } = change.data
  const content = JSON.stringify(change.body)
  if (change.type === 'message.added')
    await insert(tx, { id, sessionId, role: change.data.role, content, at: change.began ?? at })
  else await update(tx, { id, content })
  const complete = change.type === 'message.completed' || (change.type === 'message.added' && !change.data.partial)
  const words = complete ? wordsOf(change.body) : null
  if (words !== null) await index(tx, { id, sessionId, words })
}

/** Searchable text: texts, thoughts, and the titles of tool calls. */
function wordsOf(content: MessageContent): string | null {
  switch (content.type) {
    case 'text':
    case 'thought':
      return searchWords(content.text).join(' ')
    case 'tool':
      return searchWords(content.title ?? content.tool).join(' ')
    case 'plan':
      return null
    default:
      return content satisfies never
  }
}

/** Which of these messages exist, and whether more content may follow. */
export async function knownMessages(
  tx: Executor,
  ids: readonly MessageId[],
): Promise<Map<MessageId, 'open' | 'complete'>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.selectFrom('messages').select(['id', 'content']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, isOpen(contentColumn(row.content)) ? 'open' : 'complete']))
}

const contentColumn = jsonColumn('messages.content', isTaggedBy<MessageContent>('type'))

type Row = { id: MessageId; session_id: SessionId; role: MessageRole; content: string; timestamp: string }

export const toMessage = (row: Row): Message => ({
  id: row.id,
  sessionId: row.session_id,
  role: row.role,
  content: contentColumn(row.content),
  timestamp: row.timestamp,
})

const pageSize = 500

/** Ordered by time, then by insertion; strictly after `since` if given. Read page by page: there may be very many. */
export async function listMessages(db: Executor, sessionId: SessionId, since?: string): Promise<Message[]> {
  const messages: Message[] = []
  let last: { timestamp: string; seq: number } | undefined
  for (;;) {
    let query = db.selectFrom('messages').selectAll().where('session_id', '=', sessionId)
    if (since !== undefined) query = query.where('timestamp', '>', since)
    if (last) query = query.where(sql<boolean>`(timestamp, seq) > (${last.timestamp}, ${last.seq})`)
    const rows = await query.orderBy('timestamp').orderBy('seq').limit(pageSize).execute()
    for (const row of rows) messages.push(toMessage(row))
    last = rows.at(-1)
    if (rows.length < pageSize) return messages
    await yieldToOthers()
  }
}

export async function messagesById(db: Executor, ids: readonly MessageId[]): Promise<Message[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('messages').selectAll().where('id', 'in', ids).orderBy('seq').execute()
  return rows.map(toMessage)
}

/** Answered by the index, however long they are. */
export async function countMessages(db: Executor, sessionId: SessionId): Promise<number> {
  const row = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return Number(row?.n ?? 0)
}

export async function lastMessage(db: Executor, sessionId: SessionId): Promise<Message | undefined> {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('timestamp', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toMessage(row)
}
