import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { SessionId } from '../session/id.ts'
import { visibleSessions } from '../session/query.ts'
import type { Viewer } from '../user/actor.ts'
import type { Message, MessageId } from './schema.ts'
import { toMessage } from './store.ts'
import { searchWords } from './search-words.ts'

export type MessageSearch = { q: string; sessionId?: SessionId | undefined; limit: number }
export type FoundMessage = Message & { snippet: string }

const around = 60

/** Complete messages that contain all the words, newest first, from sessions the viewer may see. */
export async function searchMessages(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  viewer: Viewer,
  { q, sessionId, limit }: MessageSearch,
): Promise<FoundMessage[]> {
  const words = searchWords(q)
  if (words.length === 0) return []
  const ids = await idsWith(db, flavor, viewer, { words, sessionId, limit })
  if (ids.length === 0) return []
  const rows = await db.selectFrom('messages').selectAll().where('id', 'in', ids).orderBy('seq', 'desc').execute()
  return rows.map(toMessage).map((message) => Object.assign(message, { snippet: snippetOf(message, words) }))
}

/** The last `limit` messages before a position, in order; `more` if there are older ones. */
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

const pageOfTools = 50
/** Sessions with more edits show only the newest. */
const mostTools = 2000

/** Tool calls with file diffs, newest first. Read in small pages: each may hold whole files. */
export async function* toolsWithDiffs(db: Executor, sessionId: SessionId): AsyncGenerator<Message> {
  let last: number | undefined
  for (let read = 0; read < mostTools; read += pageOfTools) {
    let query = db
      .selectFrom('messages')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('content', 'like', '{"type":"tool"%')
      .where('content', 'like', '%"type":"diff"%')
      .orderBy('seq', 'desc')
      .limit(pageOfTools)
    if (last !== undefined) query = query.where('seq', '<', last)
    const rows = await query.execute()
    for (const row of rows) yield toMessage(row)
    last = rows.at(-1)?.seq
    if (rows.length < pageOfTools) return
    await yieldToOthers()
  }
}

async function idsWith(
  db: Executor,
  flavor: 'sqlite' | 'postgres',
  viewer: Viewer,
  { words, sessionId, limit }: { words: readonly string[]; sessionId: SessionId | undefined; limit: number },
): Promise<MessageId[]> {
  const within = sessionId === undefined ? sql`` : sql`and message_words.session_id = ${sessionId}`
  const visible = db
    .selectFrom('sessions')
    .select('sessions.id')
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
  const seen = viewer.sees === 'all' ? sql`` : sql`and message_words.session_id in (${visible})`
  // Each word is quoted, because some are operators of the search engine.
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
    select message_id from ${source} where ${condition} ${within} ${seen}
    order by ${order} limit ${limit}`.execute(db)
  return rows.map((row) => row.message_id)
}

/** The first match, with a little text around it. */
function snippetOf({ content }: Message, words: readonly string[]): string {
  const text = 'text' in content ? content.text : content.type === 'tool' ? (content.title ?? content.tool) : ''
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((place) => place >= 0)
  const at = places.length > 0 ? Math.min(...places) : 0
  const start = Math.max(0, at - around)
  const end = Math.min(text.length, at + around * 2)
  return `${start > 0 ? '…' : ''}${text.slice(start, end).replaceAll(/\s+/g, ' ')}${end < text.length ? '…' : ''}`
}
