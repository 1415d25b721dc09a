import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * One keeper per data directory: SQLite's lock on an empty file, which the kernel releases however the process ends.
 * Null if another keeper has it.
 */
export function lockKeeper(file: string): Disposable | null {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file)
  try {
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin exclusive')
    return { [Symbol.dispose]: () => lock.close() }
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return null
    throw error
  }
}
