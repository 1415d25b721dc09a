import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { Kysely } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteDialect } from './sqlite-driver.ts'
import { sqliteReadDialect } from './sqlite-reads.ts'

type Rows = { rows: { n: number } }

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-reads-'))
  const writer = new SqliteDatabase(join(folder, 'rows.db'))
  writer.pragma('journal_mode = WAL')
  writer.exec('create table rows (n integer)')
  const reader = new SqliteDatabase(join(folder, 'rows.db'), { readonly: true })
  const write = new Kysely<Rows>({ dialect: sqliteDialect(writer) })
  const read = new Kysely<Rows>({ dialect: sqliteReadDialect({ reader, writer }) })
  onTestFinished(async () => {
    await read.destroy()
    await write.destroy()
    rmSync(folder, { recursive: true })
  })
  const seen = async () => (await read.selectFrom('rows').select('n').execute()).map(({ n }) => n)
  return { write, read, seen, reader, writer }
}

it('reads see what is committed, and nothing of a transaction that is still open', async () => {
  const { write, seen } = open()
  await write.insertInto('rows').values({ n: 1 }).execute()
  await write.transaction().execute(async (tx) => {
    await tx.insertInto('rows').values({ n: 2 }).execute()
    expect(await seen()).toEqual([1])
  })
  expect(await seen()).toEqual([1, 2])
})

it('reads run on the connection whose pages are in memory, if it has no transaction', async () => {
  const { write, seen, reader } = open()
  const version = () => reader.pragma('data_version', { simple: true })
  await write.insertInto('rows').values({ n: 1 }).execute()
  reader.close()
  expect(version).toThrow('not open')
  expect(await seen()).toEqual([1])
})

it('refuses to write', async () => {
  const { read, seen } = open()
  await expect(read.insertInto('rows').values({ n: 1 }).execute()).rejects.toThrow('not a read')
  await expect(read.transaction().execute(async () => {})).rejects.toThrow('database for writing')
  expect(await seen()).toEqual([])
})
