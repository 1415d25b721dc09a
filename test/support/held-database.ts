import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Blocks writes to the SQLite database in `home` until disposed. */
export function holdDatabase(home: string): Disposable {
  const database = new DatabaseSync(join(home, 'signalbox.db'))
  database.exec('pragma busy_timeout = 5000; begin immediate')
  return { [Symbol.dispose]: () => database.close() }
}
