// The peer: Hono and better-sqlite3 and nothing else. Opens a database with Signalbox's pragmas, makes one table, listens.
import { connection, listen, web } from '../lib/bare-server.js'

connection.exec('create table if not exists sessions (id text primary key, status text not null)')
const ping = connection.prepare('select 1')

web.get('/readyz', (context) => {
  ping.get()
  return context.json({ status: 'ready' })
})
listen()
