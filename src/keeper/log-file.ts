import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs'
import type { LogFields, Logger } from '../lib/log.ts'

const mostBytes = 1024 * 1024

/** Lines of JSON in a file that is never larger than a megabyte; the one before it is kept beside it. */
export function createFileLog(path: string, bound: LogFields = {}): Logger {
  const line = (level: string) => (fields: LogFields, message: string) => {
    const text = `${JSON.stringify({ level, time: new Date().toISOString(), ...bound, ...fields, msg: message })}\n`
    try {
      rotateLog(path)
      appendFileSync(path, text, { mode: 0o600 })
    } catch {
      // A full disk must not end what the keeper holds.
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

/** Emptied in place: the keeper's own stderr is the same file, opened for appending. */
export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < mostBytes) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}
