// The load: a process that speaks plain HTTP/1.1 over keep-alive connections, the same to every server.
import { connect, type Socket } from 'node:net'
import { answerCalls } from '../lib/answer-calls.ts'

export type ListRound = { port: number; request: string; connections: number; ms: number }
export type SerialRound = { port: number; requests: readonly string[] }
export type OpenReaders = { port: number; request: string; marker: string; readers: number }

type Connection = Disposable & { ask(request: string): Promise<Buffer> }

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let waiting = Promise.withResolvers<Buffer>()
  let chunks: Buffer[] = []
  let end: ((whole: Buffer) => boolean) | null = null
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.on('error', (error) => waiting.reject(error))
  socket.on('close', () => waiting.reject(new Error('the connection was closed')))
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    const whole = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    if (!end && whole.includes('\r\n\r\n')) end = endOf(whole)
    if (!end?.(whole)) return
    if (whole[9] !== 0x32) waiting.reject(new Error(whole.toString('latin1').slice(0, 500)))
    else waiting.resolve(whole)
  })
  return {
    ask(request) {
      waiting = Promise.withResolvers()
      chunks = []
      end = null
      socket.write(request)
      return waiting.promise
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Whether a response that starts with these bytes is complete. */
function endOf(first: Buffer): (whole: Buffer) => boolean {
  const head = first.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: *(\d+)/i.exec(first.toString('latin1', 0, Math.max(head, 0)))?.[1]
  if (length === undefined) return (whole) => whole.toString('latin1', whole.length - 5) === '0\r\n\r\n'
  const total = head + 4 + Number(length)
  return (whole) => whole.length >= total
}

/** Requests per second: every connection sends the next one as soon as it was answered. */
async function list({ port, request, connections, ms }: ListRound): Promise<{ perSecond: number; requests: number }> {
  const started = performance.now()
  let requests = 0
  const one = async () => {
    using connection = await open(port)
    while (performance.now() - started < ms) {
      await connection.ask(request)
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { perSecond: (requests / (performance.now() - started)) * 1000, requests }
}

/** One after another on one connection; returns how many per second. */
async function serial({ port, requests }: SerialRound): Promise<number> {
  using connection = await open(port)
  const started = performance.now()
  for (const request of requests) await connection.ask(request)
  return (requests.length / (performance.now() - started)) * 1000
}

const ask = async ({ port, request }: { port: number; request: string }): Promise<string> => {
  using connection = await open(port)
  return (await connection.ask(request)).toString()
}

let sockets: Socket[] = []
let heard: number[] = []
let changed: () => void = () => {}

/** This many readers of an event stream; each counts the frames with the marker. */
async function openReaders({ port, request, marker, readers }: OpenReaders): Promise<void> {
  heard = Array.from({ length: readers }, () => 0)
  sockets = await Promise.all(
    heard.map(async (_none, reader) => {
      const socket = connect({ port, host: '127.0.0.1' })
      let rest = ''
      const answered = new Promise<Socket>((resolve, reject) => {
        socket.once('error', reject)
        socket.once('data', () => resolve(socket))
      })
      socket.once('connect', () => socket.write(request))
      socket.on('data', (chunk) => {
        const text = rest + chunk.toString('latin1')
        const parts = text.split(marker)
        heard[reader] = (heard[reader] ?? 0) + parts.length - 1
        rest = (parts.at(-1) ?? '').slice(-(marker.length - 1))
        changed()
      })
      return answered
    }),
  )
}

/** Writes one after another; done when every reader has each. */
async function publish({ port, requests }: SerialRound): Promise<void> {
  heard = heard.map(() => 0)
  const everyone = new Promise<void>((resolve) => {
    changed = () => heard.every((count) => count >= requests.length) && resolve()
  })
  await serial({ port, requests })
  changed()
  await everyone
}

function closeReaders(): void {
  for (const socket of sockets) socket.destroy()
  sockets = []
}

answerCalls({ list, serial, ask, openReaders, publish, closeReaders })
