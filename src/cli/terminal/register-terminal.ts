import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { jsonOrNull } from '../../lib/parse-json.ts'
import { socketPath, unsafeFolder } from '../../lib/socket-path.ts'
import type { ServerConnection, TerminalContext } from '../context.ts'

/** The server knows the program, there is no server, or why it refused. */
export type Registration = { kind: 'told' } | { kind: 'nobody' } | { kind: 'refused'; why: string }

const patienceMs = 3000

/** Tells the server of this data directory about a program in the keeper. The program runs in any case. */
export async function registerWithServer(context: TerminalContext, childId: string): Promise<Registration> {
  try {
    const socket = socketPath(context.dataDir, await ipcName(context))
    const unsafe = unsafeFolder(socket)
    // One for a remote server is none of ours.
    const token = context.url === undefined ? context.token : undefined
    if (unsafe !== null) return { kind: 'nobody' }
    return await post(socket, '/api/terminals/adopt', JSON.stringify({ childId }), token)
  } catch (error) {
    return { kind: 'refused', why: error instanceof Error ? error.message : String(error) }
  }
}

const usualName = 'signalbox'

/** Reading the configuration takes longer than all the rest, and few people name the socket. */
async function ipcName(context: TerminalContext): Promise<string> {
  const { env, configFile, dataDir } = context
  const file = configFile ?? (env['SIGNALBOX_CONFIG'] || join(dataDir, 'config.toml'))
  const isNamed = env['SIGNALBOX_IPC_NAME'] !== undefined || textOf(file)?.includes('ipc_name') === true
  return isNamed ? context.ipcName() : usualName
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

const absent = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']

/** One request, as simple as it can be: loading an HTTP client would take longer than the request. */
function post(socket: string, path: string, body: string, token: string | undefined): Promise<Registration> {
  return new Promise((resolve) => {
    const refused = (why: string) => resolve({ kind: 'refused', why })
    const connection = createConnection(socket)
    const late = setTimeout(() => connection.destroy(), patienceMs)
    let answer = ''
    connection.setEncoding('utf8')
    connection.on('connect', () =>
      connection.write(
        [
          `POST ${path} HTTP/1.0`,
          'Host: localhost',
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
          '',
          body,
        ].join('\r\n'),
      ),
    )
    connection.on('data', (text: string) => (answer += text))
    connection.on('error', (error: NodeJS.ErrnoException) =>
      absent.includes(error.code ?? '') ? resolve({ kind: 'nobody' }) : refused(error.message),
    )
    connection.on('close', () => {
      clearTimeout(late)
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1])
      if (status === 201) resolve({ kind: 'told' })
      else refused(messageIn(answer) ?? 'The server did not answer.')
    })
  })
}

function messageIn(answer: string): string | null {
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(answer)?.[1]
  return message === undefined ? null : jsonOrNull(message, (value) => typeof value === 'string')
}

/** Programs run on this machine, so a remote server named by --url does not count. */
export async function ownServer(context: TerminalContext): Promise<ServerConnection> {
  if (context.url === undefined) return context.api()
  const { connect } = await import('../connect.ts')
  return connect({ url: undefined, token: undefined, dataDir: context.dataDir, ipcName: context.ipcName })
}
