import { sql, type Kysely } from 'kysely'

/** One step of the schema. `up` and `down` return statements for either database. */
export type Migration = {
  readonly version: number
  readonly name: string
  up(ddl: Ddl): readonly string[]
  down(ddl: Ddl): readonly string[]
}

/** SQL that differs between the databases, and triggers for both. */
export type Ddl = {
  readonly name: 'sqlite' | 'postgres'
  /** A text type that sorts by bytes in both databases. */
  readonly text: string
  readonly counter: string
  /** Refuses changes to these columns once they are set. */
  immutable(table: string, columns: readonly string[], message: string): readonly string[]
  /** Refuses a statement on the table, unless the condition holds. */
  refuse(table: string, what: 'update' | 'delete', message: string, exceptWhile?: string): readonly string[]
  /** Runs statements after each inserted or deleted row, or after these columns change. */
  after(
    table: string,
    trigger: string,
    what: 'insert' | 'delete' | { update: readonly string[] },
    body: string,
  ): readonly string[]
  /** Drops a table's trigger functions; the triggers go with their table. */
  dropFunctions(names: readonly string[]): readonly string[]
}

const changed = (columns: readonly string[], distinct: string) =>
  columns.map((column) => `(old.${column} is not null and new.${column} ${distinct} old.${column})`).join(' or ')

const sqliteDdl: Ddl = {
  name: 'sqlite',
  text: 'text',
  counter: 'integer primary key autoincrement',
  immutable: (table, columns, message) => [
    `create trigger ${table}_immutable before update of ${columns.join(', ')} on ${table} when ${changed(columns, 'is not')}
     begin select raise(abort, '${message}'); end`,
  ],
  refuse: (table, what, message, exceptWhile) => [
    `create trigger ${table}_no_${what} before ${what} on ${table} ${exceptWhile ? `when not (${exceptWhile})` : ''}
     begin select raise(abort, '${message}'); end`,
  ],
  after(table, trigger, what, body) {
    const when = typeof what === 'string' ? what : `update of ${what.update.join(', ')}`
    return [`create trigger ${trigger} after ${when} on ${table} begin ${body} end`]
  },
  dropFunctions: () => [],
}

const postgresDdl: Ddl = {
  name: 'postgres',
  text: 'text collate "C"',
  counter: 'bigserial primary key',
  immutable: (table, columns, message) => [
    functionOf(`${table}_immutable`, `raise exception '${message}' using errcode = 'check_violation'`),
    `create trigger ${table}_immutable before update of ${columns.join(', ')} on ${table} for each row
     when (${changed(columns, 'is distinct from')}) execute function ${table}_immutable()`,
  ],
  refuse: (table, what, message, exceptWhile) => [
    functionOf(
      `${table}_no_${what}`,
      `if not (${exceptWhile ?? 'false'}) then raise exception '${message}' using errcode = 'check_violation'; end if;
       return ${what === 'delete' ? 'old' : 'new'}`,
    ),
    `create trigger ${table}_no_${what} before ${what} on ${table} for each row execute function ${table}_no_${what}()`,
    ...(what === 'delete'
      ? [
          functionOf(`${table}_no_truncate`, `raise exception '${message}' using errcode = 'check_violation'`),
          `create trigger ${table}_no_truncate before truncate on ${table} execute function ${table}_no_truncate()`,
        ]
      : []),
  ],
  after(table, trigger, what, body) {
    const when = typeof what === 'string' ? what : `update of ${what.update.join(', ')}`
    return [
      functionOf(trigger, `${body} return null`),
      `create trigger ${trigger} after ${when} on ${table} for each row execute function ${trigger}()`,
    ]
  },
  dropFunctions: (names) => names.map((name) => `drop function if exists ${name}()`),
}

const functionOf = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body}; end $$`

export const ddlOf = (name: 'sqlite' | 'postgres'): Ddl => (name === 'sqlite' ? sqliteDdl : postgresDdl)

export async function runStatements(db: Kysely<never>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
