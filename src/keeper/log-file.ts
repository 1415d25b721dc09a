import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs'
import type { LogFields, Logger } from '../lib/log.ts'

/** A module of its own: the keeper's entry logs while it is still being evaluated. */
const mostBytes = 1024 * 1024

/** JSON lines in a file of at most a megabyte. The previous file is kept beside it. */
export function createFileLog(path: string, bound: LogFields = {}): Logger {
  const line = (level: string) => (fields: LogFields, message: string) => {
    const text = `${JSON.stringify({ level, time: new Date().toISOString(), ...bound, ...fields, msg: message })}\n`
    try {
      rotateLog(path)
      appendFileSync(path, text, { mode: 0o600 })
    } catch {
      // A full disk must not end the keeper.
    }
  }
  return {
    debug() {},
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (fields) => createFileLog(path, { ...bound, ...fields }),
  }
}

/** Truncated in place: the keeper's own stderr appends to the same file. */
function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < mostBytes) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}
