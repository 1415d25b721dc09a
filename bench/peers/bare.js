// The bare peer: Hono and better-sqlite3 with the pragmas of Signalbox, and nothing else: no logins, no checks, no log.
import { randomUUID } from 'node:crypto'
import { connection, listen, web } from '../lib/bare-server.js'

/** As many columns as a session of Signalbox has. */
const texts = [
  'owner_user_id',
  'protocol_mode',
  'status',
  'prompt',
  'mode',
  'workspace_root',
  'repo_id',
  'agent',
  'agent_provider',
  'isolation',
  'agent_group_id',
  'messaging_group_id',
  'thread_id',
  'channel_id',
  'thread_ts',
  'connectivity_status',
  'container_status',
  'last_activity_at',
  'last_tool',
  'stall_paused_until',
  'progress_snapshot',
  'restart_of',
  'metadata',
  'updated_at',
  'terminated_at',
]
const numbers = ['waiting', 'workspace_claimed', 'nudge_count', 'stall_paused']
const columns = ['id', 'created_at', ...texts, ...numbers]
connection.exec(`create table if not exists sessions (id text primary key, created_at text not null,
  ${[...texts.map((name) => `${name} text`), ...numbers.map((name) => `${name} integer not null default 0`)].join(', ')})`)
connection.exec('create index if not exists newest on sessions (created_at, id)')
connection.exec('create table if not exists messages (id text primary key, session_id text not null, content text)')
const insert = connection.prepare(`insert into sessions
  (id, created_at, owner_user_id, protocol_mode, status, prompt, mode, workspace_root, connectivity_status, container_status,
   last_activity_at, metadata, updated_at)
  values (?, ?, 'owner', 'mcp', 'active', ?, 'remote', ?, 'online', 'stopped', ?, '{}', ?)`)
const say = connection.prepare('insert into messages values (?, ?, ?)')
const newest = connection.prepare('select * from sessions order by created_at desc, id desc limit ?')
const one = connection.prepare('select * from sessions where id = ?')
const count = connection.prepare('select count(*) as total from sessions')

const names = columns.map((name) => [name, name.replace(/_(.)/g, (_all, letter) => letter.toUpperCase())])
const shown = (/** @type {any} */ row) => {
  const session = Object.fromEntries(names.map(([column, field]) => [field, row[column ?? '']]))
  session['metadata'] = JSON.parse(row.metadata)
  return session
}

/** @type {Set<ReadableStreamDefaultController>} */
const readers = new Set()
const encoder = new TextEncoder()

web.get('/readyz', (context) => context.json({ status: 'ready' }))
web.get('/api/sessions', (context) => {
  const sessions = newest.all(Number(context.req.query('limit') ?? 20)).map(shown)
  return context.json({ sessions, total: /** @type {any} */ (count.get()).total })
})
web.post('/api/sessions', async (context) => {
  const { prompt, workspaceRoot } = await context.req.json()
  const [id, at] = [randomUUID(), new Date().toISOString()]
  insert.run(id, at, prompt, workspaceRoot, at, at)
  return context.json(shown(one.get(id)), 201)
})
web.post('/api/sessions/:id/messages', async (context) => {
  const { content } = await context.req.json()
  const message = { id: randomUUID(), sessionId: context.req.param('id'), content }
  say.run(message.id, message.sessionId, JSON.stringify(content))
  const frame = encoder.encode(`event: message.added\ndata: ${JSON.stringify(message)}\n\n`)
  for (const reader of readers) reader.enqueue(frame)
  return context.json(message, 201)
})
web.get('/api/events', () => {
  /** @type {ReadableStreamDefaultController | undefined} */
  let own
  const body = new ReadableStream({
    start(reader) {
      own = reader
      readers.add(reader)
      reader.enqueue(encoder.encode('retry: 1000\n\n'))
    },
    cancel: () => void (own && readers.delete(own)),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
})
listen()
