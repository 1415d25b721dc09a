import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { once } from '../lib/lazy.ts'

/**
 * The native part of better-sqlite3. On its own it makes a report of the whole process to find out which of its files fits,
 * and that takes longer than opening a database. So the usual one is tried first.
 */
const nativePart = once((): object => {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('better-sqlite3/package.json'))
  const { platform, arch } = process
  const names = [`prebuilds/${platform}-${arch}`, `prebuilds/linuxmusl-${arch}`, 'build/Release/better_sqlite3']
  const failures: unknown[] = []
  for (const name of names)
    try {
      return require(join(folder, `${name}.node`)) as object
    } catch (error) {
      failures.push(error)
    }
  throw failures[0]
})

/** Opens a SQLite file. */
export function openSqliteFile(file: string, options: Sqlite.Options = {}): Sqlite.Database {
  // The types know only a path here; the library also takes the loaded part.
  const nativeBinding = nativePart() as unknown as string
  return new Sqlite(file, { ...options, nativeBinding })
}
