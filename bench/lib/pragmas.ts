import type Sqlite from 'better-sqlite3'

const compared = ['journal_mode', 'synchronous', 'foreign_keys', 'cache_size', 'busy_timeout', 'wal_autocheckpoint']

/** What makes two connections comparable, as SQLite itself tells it. */
export const pragmasOf = (connection: Sqlite.Database): string =>
  compared.map((name) => `${name}=${String(connection.pragma(name, { simple: true }))}`).join(' ')
