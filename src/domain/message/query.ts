import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { Message, MessageId } from './schema.ts'
import { toMessage } from './store.ts'
import { wordsIn } from './words.ts'

export type MessageSearch = { q: string; sessionId?: SessionId | undefined; limit: number }
export type FoundMessage = Message & { snippet: string }

const around = 60

/** Complete messages that hold all the words, newest first; `visible` says whose. */
export async function searchMessages(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  visible: (ids: readonly SessionId[]) => Promise<ReadonlySet<SessionId>>,
  { q, sessionId, limit }: MessageSearch,
): Promise<FoundMessage[]> {
  const words = wordsIn(q)
  if (words.length === 0) return []
  const found: FoundMessage[] = []
  const page = 200
  for (let offset = 0; found.length < limit; offset += page) {
    const ids = await idsWith(db, flavor, words, sessionId, page, offset)
    if (ids.length === 0) break
    const rows = await db.selectFrom('messages').selectAll().where('id', 'in', ids).orderBy('seq', 'desc').execute()
    const seen = await visible([...new Set(rows.map((row) => row.session_id))])
    for (const row of rows)
      if (seen.has(row.session_id) && found.length < limit)
        found.push({ ...toMessage(row), snippet: snippetOf(toMessage(row), words) })
    if (ids.length < page) break
  }
  return found
}

/** The last `limit` messages before a place, in order; `more` where there are older ones still. */
export async function conversationPage(
  db: Executor,
  sessionId: SessionId,
  { limit, before }: { limit: number; before?: { createdAt: string; id: string } | undefined },
): Promise<{ messages: Message[]; more: boolean }> {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('timestamp', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit + 1)
  if (before !== undefined) {
    const place = sql`coalesce((select m.seq from messages m where m.id = ${before.id}), 0)`
    query = query.where(sql<boolean>`(messages.timestamp, messages.seq) < (${before.createdAt}, ${place})`)
  }
  const rows = await query.execute()
  return { messages: rows.slice(0, limit).toReversed().map(toMessage), more: rows.length > limit }
}

/** Tool calls that show what they did to files, oldest first. */
export async function toolsWithDiffs(db: Executor, sessionId: SessionId): Promise<Message[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('content', 'like', '{"type":"tool"%')
    .where('content', 'like', '%"type":"diff"%')
    .orderBy('timestamp')
    .orderBy('seq')
    .execute()
  return rows.map(toMessage)
}

async function idsWith(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  words: readonly string[],
  sessionId: SessionId | undefined,
  limit: number,
  offset: number,
): Promise<MessageId[]> {
  const within = sessionId === undefined ? sql`` : sql`and message_words.session_id = ${sessionId}`
  // Each word in quotes: some are words of the engine's own language.
  const condition =
    flavor === 'sqlite'
      ? sql`message_words match ${words.map((word) => `"${word}"`).join(' ')}`
      : sql`found_by @@ plainto_tsquery('simple', ${words.join(' ')})`
  const source =
    flavor === 'sqlite'
      ? sql`message_words`
      : sql`message_words join messages on messages.id = message_words.message_id`
  const order = flavor === 'sqlite' ? sql`rowid desc` : sql`messages.seq desc`
  const { rows } = await sql<{ message_id: MessageId }>`
    select message_id from ${source} where ${condition} ${within}
    order by ${order} limit ${limit} offset ${offset}`.execute(db)
  return rows.map((row) => row.message_id)
}

/** The first place where one of the words stands, with a little before and after it. */
function snippetOf({ content }: Message, words: readonly string[]): string {
  const text = 'text' in content ? content.text : content.type === 'tool' ? (content.title ?? content.tool) : ''
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((place) => place >= 0)
  const at = places.length > 0 ? Math.min(...places) : 0
  const start = Math.max(0, at - around)
  const end = Math.min(text.length, at + around * 2)
  return `${start > 0 ? '…' : ''}${text.slice(start, end).replaceAll(/\s+/g, ' ')}${end < text.length ? '…' : ''}`
}
