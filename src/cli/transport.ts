import { request as plainRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import type { Transport } from '../client/client.ts'
import { unsafeFolder } from '../lib/socket-path.ts'
import { exit, Failure } from './failure.ts'

/** A server, and how to report that it can't be reached. */
export type Target = {
  readonly options: Pick<RequestOptions, 'socketPath' | 'protocol' | 'hostname' | 'port'>
  /** Prefix of every API path. */
  readonly basePath: string
  readonly token: string | undefined
  readonly absent: { readonly message: string; readonly hint: string }
}

export type ByteStream = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: AsyncIterable<Buffer>
}

/** An agent that makes progress has two minutes to start, and waits for others before that. */
const patience = 300_000

export function socketTarget(socket: string, dataDir: string, token: string | undefined): Target {
  const absent = {
    message: `No Signalbox is running for ${dataDir}.`,
    hint: 'Start it with: signalbox serve',
  }
  const unsafe = unsafeFolder(socket)
  if (unsafe !== null) throw new Failure({ exit: exit.noServer, ...unsafe })
  return { options: { socketPath: socket }, basePath: '', token, absent }
}

export function urlTarget(text: string, token: string | undefined): Target {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Failure({
      exit: exit.usage,
      code: 'usage',
      message: `Invalid server address "${text}".`,
      hint: 'Expected: https://signalbox.example.org or http://127.0.0.1:3000, for example.',
    })
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? null : Number(url.port)
  const absent = {
    message: `No response from Signalbox at ${url.origin}.`,
    hint: 'Check the address, and that the server is running.',
  }
  const options = { protocol: url.protocol, hostname, ...(port === null ? {} : { port }) }
  return { options, basePath: url.pathname.replace(/(?<!\/)\/+$/, ''), token, absent }
}

type ResponseStart = { method: string; path: string; headers: Readonly<Record<string, string>>; body: string | null }

async function send(target: Target, sent: ResponseStart, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const request = target.options.protocol === 'https:' ? (await import('node:https')).request : plainRequest
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = { ...sent.headers, connection: 'close' }
    if (target.token !== undefined) headers['authorization'] = `Bearer ${target.token}`
    if (sent.body !== null) headers['content-length'] = Buffer.byteLength(sent.body)
    const path = target.basePath + sent.path
    const call: ClientRequest = request({ ...target.options, method: sent.method, path, headers, signal, agent: false })
    call.on('response', resolve)
    call.on('error', (error) => reject(signal?.aborted ? error : explain(error, target)))
    call.setTimeout(patience, () => call.destroy(new Error('timeout')))
    call.end(sent.body ?? undefined)
  })
}

const absentCodes = [
  'ENOENT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTSOCK',
]

/** Turns a connection error into a failure with a hint. */
export function explain(error: Error, target: Target): Failure {
  const code = 'code' in error ? String(error.code) : ''
  if (absentCodes.includes(code))
    return new Failure({ exit: exit.noServer, code: 'no_server', ...target.absent, cause: error })
  if (code === 'EACCES' || code === 'EPERM')
    return new Failure({
      exit: exit.refused,
      code: 'socket_refused',
      message: `The socket ${target.options.socketPath ?? ''} belongs to another user.`,
      hint: 'Run the command as the user who runs the server, or use --url with a token.',
      cause: error,
    })
  const what =
    error.message === 'timeout' ? `The server did not respond for ${patience / 1000} seconds.` : error.message
  return new Failure({
    exit: exit.failed,
    code: 'connection_lost',
    message: error.message === 'timeout' ? what : `The connection to the server was lost: ${what}`,
    hint: 'Check whether it is running with: signalbox status',
    cause: error,
  })
}

function headersOf(response: IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries)
}

export const createTransport =
  (target: Target): Transport =>
  async ({ method, path, headers, body, signal }) => {
    const response = await send(target, { method, path, headers, body }, signal)
    return { status: response.statusCode ?? 0, headers: headersOf(response), text: () => textOf(response, target) }
  }

async function textOf(response: IncomingMessage, target: Target): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch (error) {
    throw error instanceof Error ? explain(error, target) : error
  }
  return Buffer.concat(chunks).toString()
}

/** A GET request with a streamed response. */
export async function openStream(
  target: Target,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ByteStream> {
  const response = await send(target, { method: 'GET', path, headers, body: null }, signal)
  return { status: response.statusCode ?? 0, headers: headersOf(response), chunks: response }
}
