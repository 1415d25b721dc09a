// What the bare peers have in common: a database with the pragmas of Signalbox, and Hono on a port.
import { serve } from '@hono/node-server'
import Sqlite from 'better-sqlite3'
import { Hono } from 'hono'

const [file = '', port = ''] = process.argv.slice(2)

export const connection = new Sqlite(file)
connection.pragma('busy_timeout = 50')
connection.pragma('foreign_keys = ON')
connection.pragma('cache_size = -16000')
connection.pragma('journal_mode = WAL')
connection.pragma('synchronous = FULL')

export const web = new Hono()

export const listen = () => serve({ fetch: web.fetch, port: Number(port), hostname: '127.0.0.1' })
