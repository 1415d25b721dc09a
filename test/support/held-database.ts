import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Until it is disposed of, nobody writes to the SQLite database in `home`. */
export function holdDatabase(home: string): Disposable {
  const database = new DatabaseSync(join(home, 'signalbox.db'))
  database.exec('pragma busy_timeout = 5000; begin immediate')
  return { [Symbol.dispose]: () => database.close() }
}
