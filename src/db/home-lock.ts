import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fail, ok, type Result } from '../lib/result.ts'

/**
 * One server a data directory. The lock is SQLite's own on an empty file: the kernel gives it back when the process dies,
 * however it dies, which no file with a process id in it can promise.
 */
export async function lockHome(dataDir: string): Promise<Result<Disposable>> {
  const { default: Sqlite } = await import('better-sqlite3')
  const folder = join(dataDir, 'run')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'server.lock')
  // Opened first by ourselves: Node says why it can't be (read-only, not ours), SQLite does not.
  closeSync(openSync(file, 'a', 0o600))
  const lock = new Sqlite(file, { timeout: 0 })
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
