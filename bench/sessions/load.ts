// The load: a few keep-alive connections, each sending the next request as soon as it was answered.
import { connect, type Socket } from 'node:net'
import { answerCalls } from '../lib/answer-calls.ts'

export type LoadRound = { port: number; path: string; token: string; connections: number; ms: number }
export type Loaded = { perSecond: number; p50: number; p99: number }

async function round({ port, path, token, connections, ms }: LoadRound): Promise<Loaded> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const took: number[] = []
  const started = performance.now()
  const until = started + ms
  await Promise.all(Array.from({ length: connections }, () => ask(port, request, until, took)))
  const perSecond = (took.length / (performance.now() - started)) * 1000
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond, p50: at(0.5), p99: at(0.99) }
}

function ask(port: number, request: string, until: number, took: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sent = 0
    let left = 0
    const send = () => {
      sent = performance.now()
      socket.write(request)
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      left = left > 0 ? left - chunk.length : bytesLeft(chunk)
      if (Number.isNaN(left)) return void socket.destroy(new Error(chunk.toString('latin1').slice(0, 500)))
      if (left > 0) return
      const now = performance.now()
      took.push(now - sent)
      if (now < until) return send()
      socket.end()
      resolve()
    })
  })
}

/** Of a response that starts here; the head comes in one piece. */
function bytesLeft(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, Math.max(end, 0))
  const length = /^HTTP\/1\.1 200 [^]*\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return length === undefined ? Number.NaN : Number(length) - (chunk.length - end - 4)
}

answerCalls({ round })
