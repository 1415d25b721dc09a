import { existsSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { openSqliteFile } from '../../db/sqlite-file.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { seedTables, type Seed, type SeedTable } from './rows.ts'
import { createTally, type Tally } from './tally.ts'

export const tableNames = Object.keys(seedTables) as SeedTable[]

/** Without these it is another kind of file. */
const needed: readonly SeedTable[] = ['agent_groups', 'messaging_groups', 'messaging_group_agents', 'users']

export type ReadSeed = { readonly seed: Seed; readonly tally: Tally }

/** Reads the whole file, which is small: it holds settings, not messages. */
export function readSeed(file: string): Result<ReadSeed> {
  if (!existsSync(file)) return fail({ kind: 'not_found', code: 'file_not_found', message: `${file} was not found.` })
  let database: Sqlite.Database
  try {
    database = openSqliteFile(file, { readonly: true, fileMustExist: true })
  } catch (error) {
    return unreadable(file, error)
  }
  try {
    const present = new Set(
      database.prepare<[], string>(`select name from sqlite_master where type = 'table'`).pluck().all(),
    )
    const missing = needed.filter((table) => !present.has(table))
    if (missing.length > 0)
      return fail({
        kind: 'invalid',
        code: 'not_importable',
        message: `${file} is not a NanoClaw database: it has no table ${missing.join(', ')}.`,
        hint: 'Give the path of the central database, usually data/v2.db.',
      })
    const tally = createTally(tableNames)
    const rowsOf = (table: SeedTable): unknown[] =>
      present.has(table) ? database.prepare(`select * from ${table} order by rowid`).all() : []
    const seed = Object.fromEntries(tableNames.map((table) => [table, checked(table, rowsOf(table), tally)]))
    return ok({ seed: seed as unknown as Seed, tally })
  } catch (error) {
    return unreadable(file, error)
  } finally {
    database.close()
  }
}

function checked(table: SeedTable, rows: readonly unknown[], tally: Tally): unknown[] {
  return rows.flatMap((row, index) => {
    const read = seedTables[table].safeParse(row)
    if (read.success) return [read.data]
    const fields = [...new Set(read.error.issues.map(({ path }) => String(path[0])))]
    tally.leftOut(table, `row ${index + 1}`, `invalid ${fields.join(', ')}`)
    return []
  })
}

const unreadable = (file: string, error: unknown) =>
  fail({
    kind: 'invalid',
    code: 'not_importable',
    message: `${file} can't be read as a SQLite database: ${error instanceof Error ? error.message : String(error)}.`,
  })
