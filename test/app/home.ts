import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres, openSqlite } from '../../src/db/open.ts'
import { newId } from '../../src/lib/id.ts'
import { freshPostgres, postgresLike } from '../support/postgres.ts'

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

/** Copies of one database that already has the schema: making it takes PostgreSQL five times as long. */
async function postgresHome(): Promise<Home> {
  await using stack = new AsyncDisposableStack()
  const template = stack.use(await freshPostgres())
  const database = await openPostgres({ url: template.url, poolSize: 1 })
  await migrate(database, { now: () => '2030-01-01T00:00:00.000Z' })
  await database.close()
  const kept = stack.move()
  return {
    async fresh() {
      const copy = kept.use(await postgresLike(new URL(template.url).pathname.slice(1)))
      const url = new URL(copy.url)
      // Nothing here outlives its process, so nothing waits for the disk.
      url.searchParams.set('options', '-c synchronous_commit=off')
      return url.href.replaceAll('+', '%20')
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
