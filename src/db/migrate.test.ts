import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { schemaOf } from '../../test/app/schema-of.ts'
import { freshPostgres } from '../../test/support/postgres.ts'
import type { Migration } from './ddl.ts'
import { migrate, newerSchema, rollback, schemaStatus } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openPostgres, openSqlite, type Database } from './open.ts'

const now = () => '2030-01-01T00:00:00.000Z'
const newest = migrations.at(-1)?.version ?? 0

/** Opens the same empty database repeatedly. */
async function emptyPlace(kind: string): Promise<{ how: string; open(): Promise<Database> } & AsyncDisposable> {
  if (kind === 'postgres') {
    const { url, [Symbol.asyncDispose]: dispose } = await freshPostgres()
    const options = { url, poolSize: 4 }
    return {
      how: `openPostgres(${JSON.stringify(options)})`,
      open: () => openPostgres(options),
      [Symbol.asyncDispose]: dispose,
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'sbm-'))
  const options = { file: join(folder, 'test.db'), synchronous: 'normal' as const }
  return {
    how: `openSqlite(${JSON.stringify(options)})`,
    open: () => openSqlite(options),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Migrates in a separate process; reports which steps it ran. */
async function migrateElsewhere(how: string): Promise<number[]> {
  const script = `
    import { openPostgres, openSqlite } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    import { migrate } from ${JSON.stringify(import.meta.resolve('./migrate.ts'))}
    const database = await ${how}
    const { value } = await migrate(database, { now: () => new Date().toISOString() })
    console.log(JSON.stringify(value.map((step) => step.version)))
    await database.close()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return JSON.parse(stdout)
}

const opened = async (place: { open(): Promise<Database> }) => {
  const database = await place.open()
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}

describe.each(['sqlite', 'postgres'])('migrations (%s)', (kind) => {
  it('each goes up, down and up again to the same schema, and down to the previous one', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    for (const { version } of migrations) {
      const before = await schemaOf(database)
      const list = migrations.filter((step) => step.version <= version)
      expect(await migrate(database, { now, list })).toMatchObject({ ok: true, value: [{ version }] })
      const up = await schemaOf(database)
      expect(up).not.toEqual(before)
      expect(await rollback(database, { to: version - 1 })).toMatchObject({ ok: true, value: [{ version }] })
      const down = await schemaOf(database)
      // The ledger itself stays once it exists.
      expect(down.filter((line) => !line.includes('schema_version'))).toEqual(
        before.filter((line) => !line.includes('schema_version')),
      )
      expect(await migrate(database, { now, list })).toMatchObject({ ok: true })
      expect(await schemaOf(database)).toEqual(up)
    }
    expect(await rollback(database, { to: 0 })).toMatchObject({ ok: true })
    const { applied, pending } = await schemaStatus(database)
    expect([applied.length, pending.length]).toEqual([0, migrations.length])
  }, 180_000)

  it('run twice change nothing the second time', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    await migrate(database, { now })
    const once = await schemaOf(database)
    expect(await migrate(database, { now })).toEqual({ ok: true, value: [] })
    expect(await schemaOf(database)).toEqual(once)
    expect(await schemaStatus(database)).toMatchObject({ current: newest, newest, pending: [] })
  })

  it('run by several processes at once are done once', async () => {
    await using place = await emptyPlace(kind)
    const done = (await Promise.all([1, 2, 3].map(() => migrateElsewhere(place.how)))).flat()
    expect(done.toSorted((a, b) => a - b)).toEqual(migrations.map((step) => step.version))
    await using database = await opened(place)
    expect(await schemaStatus(database)).toMatchObject({ current: newest, pending: [] })
  })

  it('make a backup first, but not of an empty database or when there is nothing to do', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    const backups: number[] = []
    const backup = async (current: number) => void backups.push(current)
    await migrate(database, { now, backup, list: migrations.slice(0, 2) })
    expect(backups).toEqual([])
    await migrate(database, { now, backup })
    await migrate(database, { now, backup })
    expect(backups).toEqual([2])
    await rollback(database, { to: newest - 1, backup })
    await rollback(database, { to: newest - 1, backup })
    expect(backups).toEqual([2, newest])
  })

  it('leave a database alone if its backup failed', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    await migrate(database, { now, list: migrations.slice(0, 2) })
    const before = await schemaOf(database)
    const backup = () => Promise.reject(new Error('no room'))
    await expect(migrate(database, { now, backup })).rejects.toThrow('no room')
    expect(await schemaOf(database)).toEqual(before)
  })

  it('that fail midway leave the step before', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    await migrate(database, { now })
    const before = await schemaOf(database)
    const broken: Migration = {
      version: newest + 1,
      name: 'broken',
      up: () => ['create table half (id integer)', 'create table half (id integer)'],
      down: () => [],
    }
    await expect(migrate(database, { now, list: [...migrations, broken] })).rejects.toThrow(/half/)
    expect(await schemaOf(database)).toEqual(before)
    expect(await schemaStatus(database)).toMatchObject({ current: newest })
  })

  it('of a newer Signalbox are refused with a message, up and down', async () => {
    await using place = await emptyPlace(kind)
    await using database = await opened(place)
    await migrate(database, { now })
    await sql`insert into schema_version (version, name, applied) values (99, 'future', ${now()})`.execute(
      database.write,
    )
    const refused = { ok: false, fault: { kind: 'unavailable', code: 'schema_too_new' } }
    expect(await migrate(database, { now })).toMatchObject(refused)
    expect(await rollback(database, { to: 0 })).toMatchObject(refused)
    const fault = newerSchema(await schemaStatus(database))?.fault
    expect(fault?.message).toContain('99')
    expect(fault?.hint).toMatch(/newer Signalbox|backup/)
  })
})

describe('a backup of SQLite', () => {
  it('is a complete database, with the latest writes', async () => {
    await using place = await emptyPlace('sqlite')
    await using database = await opened(place)
    await migrate(database, { now })
    await sql`insert into users (id, display_name, created_at) values ('a', 'Ann', ${now()})`.execute(database.write)
    const folder = await mkdtemp(join(tmpdir(), 'sbb-'))
    try {
      const file = join(folder, 'copy.db')
      await database.sqlite?.backup(file)
      await copyFile(file, join(folder, 'restored.db'))
      const restored = await openSqlite({ file: join(folder, 'restored.db'), synchronous: 'full' })
      expect(await schemaStatus(restored)).toMatchObject({ current: newest })
      expect(await restored.read.selectFrom('users').select('display_name').execute()).toEqual([
        { display_name: 'Ann' },
      ])
      await restored.close()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
