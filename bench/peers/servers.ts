import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { makeToken, startCommand, startProgram, startSignalbox, type Program } from '../lib/program.ts'
import { installed, type PeerName } from './installed.ts'

/** One server and its requests for the same work. */
export type PeerServer = {
  readonly program: Program
  /** The newest 20 sessions. */
  readonly list: string
  create(number: number): string
  /** A durable change of one session, and the text of it that each event reader gets. */
  change(id: string, number: number): string
  readonly changed: string
  readonly events: string
  /** The id in the response to `create`. */
  idIn(answer: string): string
}

export type ServerName = 'ours' | 'bare' | Exclude<PeerName, 'ripgrep'>
export type StartedServer = { readonly server: PeerServer } | { readonly missing: string }

/** Starts one on a new home in this folder; `config` is for ours. */
export async function startServer(
  name: ServerName,
  folder: string,
  stack: AsyncDisposableStack,
  config = '',
): Promise<StartedServer> {
  const home = join(folder, name)
  const work = join(folder, `${name}-work`)
  for (const made of [home, work]) mkdirSync(made, { recursive: true })
  if (name === 'ours') return { server: await startOurs(home, work, stack, config) }
  if (name === 'bare') return { server: bare(stack.use(await launch.bare(home)), work) }
  const peer = await installed(name)
  if ('missing' in peer) return peer
  const program = stack.use(await launch[name](peer.file, home, work))
  return { server: name === 'hapi' ? await hapi(program, work) : opencode(program) }
}

const bareFile = fileURLToPath(import.meta.resolve('./bare.js'))
export const hapiToken = 'token-of-the-bench-0123456789'

export const launch = {
  bare: (home: string) => startProgram(bareFile, (port) => [join(home, 'bare.db'), String(port)]),
  hapi: (file: string, home: string) =>
    startCommand(file, () => ['hub'], {
      cwd: home,
      readyPath: '/health',
      env: (port) => ({
        HOME: home,
        HAPI_HOME: join(home, '.hapi'),
        HAPI_LISTEN_HOST: '127.0.0.1',
        HAPI_LISTEN_PORT: String(port),
        CLI_API_TOKEN: hapiToken,
      }),
    }),
  opencode: (file: string, home: string, work: string) =>
    startCommand(file, (port) => ['serve', '--port', String(port)], {
      cwd: work,
      readyPath: '/global/health',
      env: () => ({ HOME: home, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    }),
}

async function startOurs(home: string, work: string, stack: AsyncDisposableStack, config: string): Promise<PeerServer> {
  await makeDataDirectory(home)
  writeFileSync(join(home, 'config.toml'), `max_concurrent_sessions = 1000000\n${config}`, { mode: 0o600 })
  const program = stack.use(await startSignalbox(home))
  const token = await makeToken(home)
  return {
    ...restful(program, work, token),
    changed: 'event: message.added\n',
  }
}

const bare = (program: Program, work: string): PeerServer => ({
  ...restful(program, work, 'none'),
  changed: 'event: message.added\n',
})

const restful = (program: Program, work: string, token: string): Omit<PeerServer, 'changed'> => ({
  program,
  list: get(program, '/api/sessions?limit=20', token),
  create: (number) =>
    post(program, '/api/sessions', token, {
      protocolMode: 'mcp',
      workspaceRoot: work,
      prompt: `Mend item ${number} of the list and say what was wrong with it.`,
    }),
  change: (id, number) =>
    post(program, `/api/sessions/${id}/messages`, token, {
      role: 'user',
      content: { type: 'text', text: `Go on with number ${number}, please.` },
    }),
  events: get(program, '/api/events', token),
  idIn: idAtTop,
})

async function hapi(program: Program, work: string): Promise<PeerServer> {
  const answer = await fetch(`http://127.0.0.1:${program.port}/api/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accessToken: hapiToken }),
    signal: AbortSignal.timeout(10_000),
  })
  const { token } = (await answer.json()) as { token: string }
  return {
    program,
    list: get(program, '/api/sessions', token),
    create: (number) =>
      post(program, '/cli/sessions', hapiToken, {
        tag: `bench-${number}`,
        metadata: {
          path: work,
          host: 'bench',
          name: `Mend item ${number} of the list and say what was wrong with it.`,
        },
        agentState: null,
      }),
    change: (id, number) =>
      request(program, 'PATCH', `/api/sessions/${id}`, token, { name: `Go on with number ${number}, please.` }),
    changed: '"session-updated"',
    events: get(program, '/api/events?all=true', token),
    idIn: idAtTop,
  }
}

const opencode = (program: Program): PeerServer => ({
  program,
  list: get(program, '/session?limit=20', ''),
  create: (number) =>
    post(program, '/session', '', { title: `Mend item ${number} of the list and say what was wrong with it.` }),
  change: (id, number) =>
    request(program, 'PATCH', `/session/${id}`, '', { title: `Go on with number ${number}, please.` }),
  changed: '"session.updated"',
  events: get(program, '/event', ''),
  idIn: idAtTop,
})

const idAtTop = (answer: string): string => /"id":"([^"]+)"/.exec(answer)?.[1] ?? ''

const head = ({ port }: Program, method: string, path: string, token: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${token && `Authorization: Bearer ${token}\r\n`}`

const get = (program: Program, path: string, token: string): string => `${head(program, 'GET', path, token)}\r\n`

const post = (program: Program, path: string, token: string, body: object): string =>
  request(program, 'POST', path, token, body)

function request(program: Program, method: string, path: string, token: string, body: object): string {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  return `${head(program, method, path, token)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`
}
