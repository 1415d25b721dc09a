import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'

export type Row = Readonly<Record<string, string | number | null>>

const tables = {
  sessions: 'select * from sessions',
  messages: 'select * from messages order by seq',
  asks: 'select * from asks',
  events: 'select * from events order by tx, seq',
  commands: 'select * from commands',
  tally: 'select * from session_tally where n <> 0',
  deadlines: 'select * from deadlines',
  followers: 'select * from followers',
  users: 'select * from users',
  deadLetters: 'select * from dead_letters',
}

/** Everything in the tables at one moment, read directly. */
export type Rows = Readonly<Record<keyof typeof tables, readonly Row[]>>

export function sqliteRows(file: string): Rows {
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    const read = database.transaction(() => entries((statement) => database.prepare(statement).all() as Row[]))
    return collect(read())
  } finally {
    database.close()
  }
}

export async function postgresRows(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserFor } })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const found: [string, readonly Row[]][] = []
    for (const [name, statement] of Object.entries(tables)) found.push([name, (await client.query(statement)).rows])
    return collect(found)
  } finally {
    await client.end()
  }
}

const int8 = 20
const parserFor: typeof pg.types.getTypeParser = (type: number, format?: 'text' | 'binary') =>
  type === int8
    ? Number
    : format === 'binary'
      ? pg.types.getTypeParser(type, 'binary')
      : pg.types.getTypeParser(type, 'text')

const entries = (read: (statement: string) => readonly Row[]): [string, readonly Row[]][] =>
  Object.entries(tables).map(([name, statement]) => [name, read(statement)])

const collect = (found: [string, readonly Row[]][]): Rows => Object.fromEntries(found) as Rows
