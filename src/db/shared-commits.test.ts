import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { sqliteDialect } from './sqlite-driver.ts'

type Rows = { numbers: { n: number } }

it('each transaction that shares a commit is on the disk when it resolves, and a failed one fails alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-commits-'))
  const file = join(folder, 'test.db')
  const writer = new Sqlite(file)
  writer.pragma('journal_mode = wal')
  writer.exec('create table numbers (n integer primary key)')
  const db = new Kysely<Rows>({ dialect: sqliteDialect(writer) })
  const other = new Sqlite(file, { readonly: true })
  const isStored = (n: number) => other.prepare('select 1 from numbers where n = ?').get(n) !== undefined
  try {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const write = db.transaction().execute(async (tx) => {
          await tx.insertInto('numbers').values({ n }).execute()
          if (n % 10 === 3) throw new Error('refused')
        })
        return write.then(
          () => isStored(n),
          () => 'failed' as const,
        )
      }),
    )
    expect(outcomes).toEqual(Array.from({ length: 100 }, (_, n) => (n % 10 === 3 ? 'failed' : true)))
    const rows = await db.selectFrom('numbers').selectAll().execute()
    expect(rows).toHaveLength(90)
  } finally {
    other.close()
    await db.destroy()
    rmSync(folder, { recursive: true })
  }
})
