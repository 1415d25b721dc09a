import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

const fixture = join(import.meta.dirname, '../fixtures/nanoclaw/central.sql')

/** A NanoClaw installation whose central database has rows in every table; `more` is SQL that changes it. */
export function nanoclaw(more = ''): { readonly root: string; readonly file: string } & Disposable {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sbn-')))
  mkdirSync(join(root, 'data'))
  const file = join(root, 'data', 'v2.db')
  const database = new Sqlite(file)
  database.exec(readFileSync(fixture, 'utf8'))
  database.exec(more)
  database.close()
  return { root, file, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}
