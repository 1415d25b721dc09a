import { fstatSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isatty } from 'node:tty'
import pino from 'pino'
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

/**
 * Writes lines to a file descriptor without ever blocking the process. If nobody reads the other end, lines wait up to a
 * limit; those that do not fit are counted and reported once there is room again.
 */
type LineWriter = {
  write(line: string): void
  /** Resolves when everything written so far has been flushed. */
  drained(): Promise<void>
}

function createLineWriter(descriptor: number, mostBytes: number): LineWriter {
  const sink = openSink(descriptor)
  let waiting: string[] = []
  let bytes = 0
  let dropped = 0
  let writing = false
  let done = Promise.withResolvers<void>()

  function pump(): void {
    if (writing) return
    if (waiting.length === 0) {
      done.resolve()
      return
    }
    writing = true
    if (dropped > 0) waiting.push(`${JSON.stringify({ level: 40, msg: 'log lines were dropped', dropped })}\n`)
    dropped = 0
    const batch = Buffer.from(waiting.join(''))
    waiting = []
    bytes = 0
    put(batch)
  }

  function put(batch: Buffer): void {
    // An error means that nobody will read it: the lines are lost, and the server keeps running.
    sink(batch, () => {
      writing = false
      pump()
    })
  }

  return {
    write(line) {
      const size = Buffer.byteLength(line)
      if (bytes + size > mostBytes) {
        dropped += 1
        return
      }
      if (!writing && waiting.length === 0) done = Promise.withResolvers<void>()
      bytes += size
      waiting.push(line)
      pump()
    },
    drained: () => (writing || waiting.length > 0 ? done.promise : Promise.resolve()),
  }
}

type Sink = (bytes: Buffer, done: () => void) => void

/**
 * A pipe with a stalled reader must not block one of our threads, and a terminal can be stopped too. A file takes a line
 * at once: passing it to another thread would take longer than writing it.
 */
function openSink(descriptor: number): Sink {
  const kind = fstatSync(descriptor, { throwIfNoEntry: false })
  if (kind?.isFIFO() || kind?.isSocket()) {
    const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
    pipe.on('error', () => {})
    pipe.unref()
    return (bytes, done) => void pipe.write(bytes, () => done())
  }
  if (kind?.isFile() || (kind?.isCharacterDevice() && !isatty(descriptor)))
    return (bytes, done) => {
      try {
        for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(descriptor, rest))
      } catch {
        // A full disk; nobody will read these lines.
      }
      done()
    }
  const put: Sink = (bytes, done) =>
    write(descriptor, bytes, (error, written) => {
      if (!error && written < bytes.length) put(bytes.subarray(written), done)
      else done()
    })
  return put
}
