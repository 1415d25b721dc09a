import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'

/** The run's PostgreSQL, and its database that has only the schema. */
export type PostgresReply = { url: string; template: string | null }
type Fresh = { url: string } & AsyncDisposable

/** A new, empty database on the run's PostgreSQL, dropped with all its connections on dispose. */
export const freshPostgres = (): Promise<Fresh> => postgresLike('template0')

/** The same with the schema in it, where the run has a template for that. */
export async function postgresWithSchema(): Promise<Fresh> {
  return postgresLike((await server()).template ?? 'template0')
}

/** A copy of another database of the run, which nobody is connected to. */
export async function postgresLike(template: string): Promise<Fresh> {
  const { url: admin } = await server()
  const name = `sb_${randomBytes(8).toString('hex')}`
  await execute(admin, `create database ${name} template ${template}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => execute(admin, `drop database if exists ${name} with (force)`),
  }
}

async function server(): Promise<PostgresReply> {
  const own = process.env['SIGNALBOX_TEST_POSTGRES_URL']
  if (own) return { url: own, template: null }
  const socket = process.env['SIGNALBOX_TEST_POSTGRES_SOCKET']
  if (!socket) throw new Error('PostgreSQL is there only under vitest (npm test), or set SIGNALBOX_TEST_POSTGRES_URL.')
  const reply: PostgresReply | { fault: string } = JSON.parse(await text(connect(socket)))
  if ('fault' in reply) throw new Error(reply.fault)
  return reply
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
