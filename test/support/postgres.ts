import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'

/** A new, empty database on the run's PostgreSQL, dropped with all its connections on dispose. */
export async function freshPostgres(): Promise<{ url: string } & AsyncDisposable> {
  const admin = await serverUrl()
  const name = `sb_${randomBytes(8).toString('hex')}`
  await execute(admin, `create database ${name} template template0`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => execute(admin, `drop database if exists ${name} with (force)`),
  }
}

async function serverUrl(): Promise<string> {
  const own = process.env['SIGNALBOX_TEST_POSTGRES_URL']
  if (own) return own
  const socket = process.env['SIGNALBOX_TEST_POSTGRES_SOCKET']
  if (!socket) throw new Error('PostgreSQL is there only under vitest (npm test), or set SIGNALBOX_TEST_POSTGRES_URL.')
  const reply: { url: string } | { fault: string } = JSON.parse(await text(connect(socket)))
  if ('fault' in reply) throw new Error(reply.fault)
  return reply.url
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
