import { sql } from 'kysely'
import type { Database } from '../../src/db/open.ts'

/** Every row of every table except the ledger, in a stable order. */
export async function dumpTables(database: Database): Promise<Record<string, readonly unknown[]>> {
  const names = await tableNames(database)
  if (database.sqlite) {
    const { sqlite } = database
    return Object.fromEntries(names.map((name) => [name, sqlite.prepare(`select * from ${name} order by rowid`).all()]))
  }
  // One statement, so that all tables are seen at the same moment.
  const parts = names.map(
    (name) => `select '${name}' as name, coalesce(json_agg(t), '[]'::json) as rows from ${name} t`,
  )
  const { rows } = await sql.raw<{ name: string; rows: unknown[] }>(parts.join(' union all ')).execute(database.read)
  return Object.fromEntries(rows.map(({ name, rows: found }) => [name, sorted(found)]))
}

const sorted = (rows: unknown[]): unknown[] =>
  rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .map((row): unknown => JSON.parse(row))

async function tableNames(database: Database): Promise<string[]> {
  const { rows } = database.sqlite
    ? await sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
        and name <> 'schema_version' and name not like 'message_words_%' order by name`.execute(database.read)
    : await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()
        and tablename <> 'schema_version' order by tablename`.execute(database.read)
  return rows.map((row) => row.name)
}
