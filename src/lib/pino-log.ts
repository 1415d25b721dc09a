import pino from 'pino'
import { createLineWriter } from './line-writer.ts'
import type { Logger } from './log.ts'
import { isRecord, ownJson } from './parse-json.ts'

export type LogOptions = { level: string; format: 'json' | 'pretty' }

const mostWaiting = 8 * 1024 * 1024

/** JSON lines for machines, or a short line for people; both go to standard error, where a service manager keeps them. */
export function createLogger({ level, format }: LogOptions): { log: Logger; drained(): Promise<void> } {
  const writer = createLineWriter(2, mostWaiting)
  const destination = format === 'json' ? writer : { write: (line: string) => writer.write(pretty(line)) }
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return { log, drained: writer.drained }
}

const names: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' }

function pretty(line: string): string {
  const { level, time, msg, ...fields } = ownJson(line, 'A line of the log', isRecord)
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${String(time).slice(11, 19)} ${names[Number(level)] ?? ''} ${String(msg)} ${shown.join(' ')}\n`
}
