// The peer: Hono and better-sqlite3 and nothing else. Opens a database with Signalbox's pragmas, makes one table, listens.
import { serve } from '@hono/node-server'
import Sqlite from 'better-sqlite3'
import { Hono } from 'hono'

const [file = '', port = ''] = process.argv.slice(2)
const connection = new Sqlite(file)
connection.pragma('busy_timeout = 50')
connection.pragma('foreign_keys = ON')
connection.pragma('cache_size = -16000')
connection.pragma('journal_mode = WAL')
connection.pragma('synchronous = FULL')
connection.exec('create table if not exists sessions (id text primary key, status text not null)')
const ping = connection.prepare('select 1')

const web = new Hono()
web.get('/readyz', (context) => {
  ping.get()
  return context.json({ status: 'ready' })
})
serve({ fetch: web.fetch, port: Number(port), hostname: '127.0.0.1' })
