import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/open.ts'
import { newId } from '../../src/lib/id.ts'
import { freshPostgres } from '../support/postgres.ts'

/** Where a suite's databases are created from a template; they are removed with it. */
export type Home = {
  /** A separate database: the file, or the address. */
  fresh(): Promise<string>
} & AsyncDisposable

export const makeHome = (kind: 'sqlite' | 'postgres'): Promise<Home> =>
  kind === 'sqlite' ? sqliteHome() : postgresHome()

/** Copies of one file that already has the schema. */
async function sqliteHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'sbw-'))
  const template = join(folder, 'template.db')
  const database = await openSqlite({ file: template, synchronous: 'normal' })
  await migrate(database, { now: () => '2030-01-01T00:00:00.000Z' })
  await database.close()
  return {
    async fresh() {
      const file = join(folder, `${newId()}.db`)
      await copyFile(template, file)
      return file
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Schemas in one database: creating and dropping a database each would cost more than most tests. */
async function postgresHome(): Promise<Home> {
  const { url, [Symbol.asyncDispose]: dispose } = await freshPostgres()
  return {
    async fresh() {
      const schema = `w${newId().replaceAll('-', '')}`
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`create schema ${schema}`)
      await client.end()
      const inside = new URL(url)
      // Nothing here outlives its process, so nothing waits for the disk.
      inside.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off`)
      return inside.href.replaceAll('+', '%20')
    },
    [Symbol.asyncDispose]: dispose,
  }
}
