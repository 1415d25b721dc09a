import SqliteDatabase from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { sqliteDialect } from './sqlite-driver.ts'

it('prepares a statement once, and keeps a bounded number of them', async () => {
  const database = new SqliteDatabase(':memory:')
  const prepared: string[] = []
  const watched = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        if (name === 'prepare') prepared.push(String(given[0]))
        return Reflect.apply(value, target, given)
      }
    },
  })
  const db = new Kysely<never>({ dialect: sqliteDialect(watched) })
  const one = () => sql`select 'one' as x`.execute(db)
  const times = () => prepared.filter((text) => text.includes("'one'")).length
  await one()
  await one()
  expect(times()).toBe(1)
  // Far more statements than the cache keeps, so the first one was evicted.
  for (let i = 0; i < 2000; i += 1) await sql.raw(`select ${i} as x`).execute(db)
  expect((await one()).rows).toEqual([{ x: 'one' }])
  expect(times()).toBe(2)
  await db.destroy()
  expect(database.open).toBe(false)
})

it('writes limits as numbers: SQLite would plan a statement again each time its limit is bound', () => {
  const db = new Kysely<{ rows: { n: number } }>({ dialect: sqliteDialect(new SqliteDatabase(':memory:')) })
  const { sql: text } = db.selectFrom('rows').select('n').limit(5).offset(2).compile()
  expect(text).toBe('select "n" from "rows" limit 5 offset ?')
})
