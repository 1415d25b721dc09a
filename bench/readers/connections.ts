// The readers: this many connections to an event stream, in a separate process, that count their events.
import { connect, type Socket } from 'node:net'
import { answerCalls } from '../lib/answer-calls.ts'

export type OpenReaders = { port: number; path: string; token: string; readers: number }

const marker = Buffer.from('\nevent: ')
let sockets: Socket[] = []
let counts: number[] = []
let wanted = Number.POSITIVE_INFINITY
let waiting = 0
let reached: (at: string) => void = () => {}
let captured: Buffer[] = []
let arrived: Promise<string> = Promise.resolve('')

/** All of them, each after the head of its response. */
async function open({ port, path, token, readers }: OpenReaders): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
  counts = Array.from({ length: readers }, () => 0)
  sockets = []
  for (let start = 0; start < readers; start += 100)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(100, readers - start) }, (_unused, index) => one(port, request, start + index)),
      )),
    )
  return sockets.length
}

function one(port: number, request: string, reader: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(65_536)
    let tail = Buffer.alloc(0)
    let answered = false
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback(bytes) {
          const chunk = buffer.subarray(0, bytes)
          if (!answered) {
            answered = true
            if (chunk.toString('latin1', 9, 12) === '200') resolve(socket)
            else reject(new Error(chunk.toString('latin1').slice(0, 300)))
          }
          if (reader === 0) captured.push(Buffer.from(chunk))
          const seam = Buffer.concat([tail, chunk.subarray(0, marker.length - 1)])
          count(reader, occurrences(seam) + occurrences(chunk))
          tail = Buffer.from(chunk.subarray(Math.max(0, bytes - marker.length + 1)))
          return true
        },
      },
    })
    socket.once('connect', () => socket.write(request))
    socket.once('error', reject)
    socket.once('close', () => reached(`reader ${reader} was cut off after ${counts[reader]} events`))
  })
}

function occurrences(chunk: Buffer): number {
  let found = 0
  for (let at = chunk.indexOf(marker); at >= 0; at = chunk.indexOf(marker, at + marker.length)) found += 1
  return found
}

function count(reader: number, more: number): void {
  const before = counts[reader] ?? 0
  counts[reader] = before + more
  if (before < wanted && before + more >= wanted) {
    waiting -= 1
    if (waiting === 0) reached(String(process.hrtime.bigint()))
  }
}

/** Resets the counters; everything published after this returns is counted. */
function arm(events: number): void {
  counts = counts.map(() => 0)
  wanted = events
  waiting = counts.length
  captured = []
  arrived = new Promise((resolve, reject) => {
    reached = (at) => (/^\d+$/.test(at) ? resolve(at) : reject(new Error(at)))
  })
  arrived.catch(() => {})
}

/** The time, by the system clock, at which the last reader had everything expected. */
const arrival = (): Promise<string> => arrived

/** The bytes the first reader got since then. */
const capture = (): string => Buffer.concat(captured).toString('base64')

function close(): void {
  reached = () => {}
  for (const socket of sockets) socket.destroy()
}

answerCalls({ open, arm, arrival, capture, close })
