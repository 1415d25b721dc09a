import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fail, ok, type Result } from '../lib/result.ts'
import { openSqliteFile } from './sqlite-file.ts'

/**
 * Allows one server per data directory. The lock is SQLite's own on an empty file: the kernel releases it however the
 * process dies, which a file with a process id can't guarantee.
 */
export async function lockHome(dataDir: string): Promise<Result<Disposable>> {
  const folder = join(dataDir, 'run')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'server.lock')
  // Node opens it first because its errors give the reason (read-only, not ours); SQLite's do not.
  closeSync(openSync(file, 'a', 0o600))
  const lock = openSqliteFile(file, { timeout: 0 })
  try {
    lock.pragma('journal_mode = OFF')
    lock.exec('begin exclusive')
    return ok({ [Symbol.dispose]: () => void lock.close() })
  } catch (error) {
    lock.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    return fail({
      kind: 'conflict',
      code: 'already_running',
      message: 'Signalbox is already running for this data directory.',
      hint: 'See it with: signalbox status. Sign in with: signalbox login. A second one needs its own SIGNALBOX_HOME.',
    })
  }
}
