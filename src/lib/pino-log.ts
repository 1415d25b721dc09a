import pino from 'pino'
import type { Logger } from './log.ts'

export type LogOptions = { level: string; format: 'json' | 'pretty' }

/**
 * JSON lines for machines, one short line for people; both to standard error, so that a service manager keeps them.
 * Written at once: a follower that says it has logged an event must not lose the line with the process.
 */
export function createLogger({ level, format }: LogOptions): Logger {
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return format === 'json' ? pino(base, pino.destination({ dest: 2, sync: true })) : pino(base, { write: writePretty })
}

const names: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' }

function writePretty(line: string): void {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  process.stderr.write(
    `${String(time).slice(11, 19)} ${names[Number(level)] ?? ''} ${String(msg)} ${shown.join(' ')}\n`,
  )
}
