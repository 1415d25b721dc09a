import type Sqlite from 'better-sqlite3'

const compared = ['journal_mode', 'synchronous', 'foreign_keys', 'cache_size', 'busy_timeout', 'wal_autocheckpoint']

/** The settings that make two connections comparable, as SQLite reports them. */
export const pragmasOf = (connection: Sqlite.Database): string =>
  compared.map((name) => `${name}=${String(connection.pragma(name, { simple: true }))}`).join(' ')
