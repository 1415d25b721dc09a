import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** The database as anyone with its file or address sees it, bypassing the server. `?` is a parameter. */
export type Look = AsyncDisposable & {
  rows<T>(statement: string, ...values: unknown[]): Promise<T[]>
  change(statement: string, ...values: unknown[]): Promise<void>
  /** The columns of each index, such as `channel_id, status`. */
  indexes(table: string): Promise<string[]>
  /** Columns with a foreign key, such as `session_id → sessions`. */
  references(table: string): Promise<string[]>
  tables(): Promise<string[]>
  /** Every value of every row, as one text. */
  everything(): Promise<string>
}

export async function lookInto(place: { home: string; databaseUrl: string | null }): Promise<Look> {
  return place.databaseUrl === null
    ? lookIntoFile(join(place.home, 'signalbox.db'))
    : lookIntoPostgres(place.databaseUrl)
}

function lookIntoFile(file: string): Look {
  const database = new Sqlite(file, { timeout: 5000 })
  const look: Omit<Look, 'everything'> = {
    rows: async <T>(statement: string, ...values: unknown[]) => database.prepare(statement).all(...values) as T[],
    async change(statement, ...values) {
      database.prepare(statement).run(...values)
    },
    async indexes(table) {
      const list = await look.rows<{ name: string }>(`select name from pragma_index_list('${table}')`)
      const columns = (name: string) => look.rows<{ name: string }>(`select name from pragma_index_info('${name}')`)
      return Promise.all(list.map(async ({ name }) => (await columns(name)).map((row) => row.name).join(', ')))
    },
    async references(table) {
      const keys = await look.rows<{ from: string; table: string }>(`select * from pragma_foreign_key_list('${table}')`)
      return keys.map((key) => `${key.from} → ${key.table}`)
    },
    async tables() {
      const found = await look.rows<{ name: string }>(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
      )
      return found.map(({ name }) => name)
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
  return { ...look, everything: () => everythingOf(look) }
}

async function lookIntoPostgres(url: string): Promise<Look> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const numbered = (statement: string) => {
    let n = 0
    return statement.replaceAll('?', () => `$${(n += 1)}`)
  }
  const look: Omit<Look, 'everything'> = {
    rows: async <T>(statement: string, ...values: unknown[]) =>
      (await client.query(numbered(statement), values)).rows as T[],
    async change(statement, ...values) {
      await client.query(numbered(statement), values)
    },
    async indexes(table) {
      const found = await look.rows<{ indexdef: string }>('select indexdef from pg_indexes where tablename = ?', table)
      return found.map(
        ({ indexdef }) => /\(([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(indexdef)?.[1]?.replaceAll('"', '') ?? indexdef,
      )
    },
    async references(table) {
      const found = await look.rows<{ definition: string }>(
        "select pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'f' and conrelid = ?::regclass",
        table,
      )
      return found.map(({ definition }) =>
        definition.replace(/^FOREIGN KEY \((\w+)\) REFERENCES (\w+)\(.*$/, '$1 → $2'),
      )
    },
    async tables() {
      const found = await look.rows<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
      )
      return found.map(({ name }) => name)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
  return { ...look, everything: () => everythingOf(look) }
}

async function everythingOf(look: Omit<Look, 'everything'>): Promise<string> {
  const contents: unknown[] = []
  for (const table of await look.tables()) contents.push(await look.rows(`select * from ${table}`))
  return JSON.stringify(contents)
}
