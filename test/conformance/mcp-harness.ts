import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Progress,
} from '@modelcontextprotocol/client'
import type { Api } from '../support/api.ts'
import { startServer, type DatabaseKind, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Ask, Message, Session } from './shapes.ts'
import { newToken } from './work.ts'

export type Said = Record<string, unknown> & { isError: boolean }
export type FullAsk = Ask & {
  origin: string
  title: string
  description: string | null
  riskLevel: string
  subject: Record<string, unknown>
  reason: string | null
  result: unknown
  consumedAt: string | null
}
export type Item = { id: string; text: string; when: string; status: string; by: string; deliveredAt: string | null }
export type Detail = Session & {
  progressSnapshot: { label: string; status: string }[] | null
  stallPaused: unknown
  stallPausedUntil: string | null
  messages: Message[]
  lineage: string[]
  queue: Item[]
}

/** A directory an agent works in, known to the server by its id. */
export type Place = {
  readonly id: string
  readonly path: string
  write(path: string, content: string | Buffer): Promise<void>
  read(path: string): Promise<string | null>
  /** As a person writes it, and confirms it if it grew while an agent was running. */
  policy(settings: Record<string, unknown>): Promise<void>
}

export type CallOptions = {
  /** With a progress token: the call is held as long as it takes. */
  held?: boolean
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
}

export type ConnectOptions = {
  place?: Place | null
  token?: string
  query?: Record<string, string>
  version?: string
  transport?: 'http' | 'sse'
  headers?: Record<string, string>
}

/** The official client, connected to /mcp. */
export type Agent = AsyncDisposable & {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport
  readonly place: Place
  /** The session it was connected to; empty for clients that never asked. */
  readonly sessionId: string
  call(tool: string, input?: Record<string, unknown>, options?: CallOptions): Promise<Said>
  /** Starts a call with a progress token, and waits until its ask is open. */
  begin(
    tool: string,
    input: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<{ ask: FullAsk; done: Promise<Said> }>
  detail(): Promise<Detail>
  /** Disconnects normally: DELETE of the MCP session. */
  leave(): Promise<void>
}

export type McpHarness = AsyncDisposable & {
  readonly server: Server
  readonly owner: Api
  /** An agent's token of the owner. */
  readonly token: string
  place(): Promise<Place>
  connect(options?: ConnectOptions): Promise<Agent>
  session(id: string): Promise<Detail>
  ask(id: string): Promise<FullAsk>
  openAsk(sessionId: string): Promise<FullAsk>
  answer(ask: { id: string }, answer: Record<string, unknown>): Promise<FullAsk>
  say(sessionId: string, text: string, when?: string): Promise<Item>
  queue(sessionId: string): Promise<Item[]>
  /** Kills the server as a crash would, and starts it again in the same home. */
  crash(): Promise<void>
  /** Stops the server normally, and starts it again. */
  stop(): Promise<void>
}

export type McpHarnessOptions = {
  env?: Record<string, string>
  places?: number
  config?: string
  database?: DatabaseKind
}

export const approve = { outcome: 'approve' }
export const reject = (reason?: string) => ({ outcome: 'reject', ...(reason !== undefined && { reason }) })

/** A server whose workspaces are real directories, and agents that connect with the official client. */
export async function openMcpHarness(options: McpHarnessOptions = {}): Promise<McpHarness> {
  await using stack = new AsyncDisposableStack()
  const base = await mkdtemp(join(tmpdir(), 'sbm-'))
  stack.defer(() => rm(base, { recursive: true, force: true, maxRetries: 5 }))
  const names = Array.from({ length: options.places ?? 60 }, (_, n) => `w${n}`)
  const mapped = names.map((id) => `[[workspace]]\nid = "${id}"\nchannel_id = "C${id}"\npath = "${join(base, id)}"\n`)
  for (const id of names) await mkdir(join(base, id))
  const server = stack.use(
    await startServer({
      ...(options.database && { database: options.database }),
      config: `${options.config ?? ''}\n${mapped.join('\n')}`,
      env: {
        SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000',
        SIGNALBOX_WORKSPACE_ROOT: join(base, 'w0'),
        SIGNALBOX_MCP__HOLD_SECONDS: '1',
        SIGNALBOX_TIMEOUTS__STARTUP_GRACE_SECONDS: '0',
        ...options.env,
      },
    }),
  )
  // A new connection for each request: the server may close a kept one just as it is used again.
  const fresh = () => server.api().as({ connection: 'close' })
  let owner = fresh()
  const { token } = await newToken(owner, { name: 'an agent', scope: 'agent' })
  // The first is the default workspace.
  let used = 0
  const kept = stack.move()

  async function again(): Promise<void> {
    await server.restart()
    // Its open connections lead to the old server.
    owner = fresh()
  }

  const place = async (): Promise<Place> => {
    used += 1
    const id = names[used]
    if (id === undefined) throw new Error('the harness has no more places')
    return placeAt(id, join(base, id), owner)
  }

  const session = (id: string) => owner.get<Detail>(`/api/sessions/${id}`)
  const openAsk = (sessionId: string, fits: (ask: FullAsk) => boolean = () => true) =>
    until(
      async () => {
        const path = `/api/asks?sessionId=${sessionId}&status=open`
        const { asks } = await owner.get<{ asks: FullAsk[] }>(path)
        return asks.find(fits)
      },
      { what: `an open ask of ${sessionId}` },
    )

  async function connect(how: ConnectOptions = {}): Promise<Agent> {
    const where = how.place === null ? placeAt('w0', join(base, 'w0'), owner) : (how.place ?? (await place()))
    const query = new URLSearchParams({ ...(how.place !== null && { workspace_id: where.id }), ...how.query })
    const { client, transport } = await connectClient(server, { ...how, token: how.token ?? token, query })
    const sessionId = await sessionOf(client)
    const begin: Agent['begin'] = async (tool, input, more = {}) => {
      const done = callTool(client, tool, input, { held: true, ...more })
      done.catch(() => {})
      const failed = done.then((said) => Promise.reject(new Error(`${tool} was not held: ${JSON.stringify(said)}`)))
      failed.catch(() => {})
      // A session that we host may have a permission of its agent open at the same time.
      const ofTool = openAsk(sessionId, ({ kind }) => kind !== 'permission')
      return { ask: await Promise.race([ofTool, failed]), done }
    }
    return {
      client,
      transport,
      place: where,
      sessionId,
      call: (tool, input = {}, more = {}) => callTool(client, tool, input, more),
      begin,
      detail: () => session(sessionId),
      async leave() {
        if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
        await client.close()
      },
      [Symbol.asyncDispose]: () => client.close(),
    }
  }

  return {
    server,
    get owner() {
      return owner
    },
    token,
    place,
    connect,
    session,
    ask: (id) => owner.get<FullAsk>(`/api/asks/${id}`),
    openAsk,
    answer: ({ id }, answer) => owner.post<FullAsk>(`/api/asks/${id}/answer`, answer),
    say: (id, text, when = 'next') => owner.post<Item>(`/api/sessions/${id}/prompt`, { text, when }),
    queue: async (id) => (await owner.get<{ items: Item[] }>(`/api/sessions/${id}/queue`)).items,
    async crash() {
      await server.kill('SIGKILL')
      await again()
    },
    stop: again,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

type Way = Omit<ConnectOptions, 'place' | 'query'> & { query: URLSearchParams }

/** Follows the server to its new port after a restart. */
export async function connectClient(server: Server, { token, query, version, transport, headers }: Way) {
  const first = server.address
  const follow = (url: string | URL, init?: RequestInit): Promise<Response> =>
    fetch(String(url).replace(first, server.address), init)
  const sent = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers }
  const at = (path: string) => new URL(`${path}?${query.toString()}`, first)
  const made =
    transport === 'sse'
      ? new SSEClientTransport(at('/sse'), { fetch: follow, requestInit: { headers: sent } })
      : new StreamableHTTPClientTransport(at('/mcp'), {
          fetch: follow,
          requestInit: { headers: sent },
          reconnectionOptions: {
            initialReconnectionDelay: 20,
            maxReconnectionDelay: 100,
            reconnectionDelayGrowFactor: 1.2,
            maxRetries: 500,
          },
        })
  const client = new Client({ name: 'conformance', version: '1' }, optionsFor(version))
  await client.connect(made)
  // From here on results are checked against the output schemas.
  await client.listTools()
  return { client, transport: made }
}

function optionsFor(version: string | undefined): ClientOptions {
  if (version === undefined) return {}
  return version >= '2026'
    ? { versionNegotiation: { mode: { pin: version } } }
    : { supportedProtocolVersions: [version] }
}

export async function resource<T>(client: Client, name: string): Promise<T> {
  const { contents } = await client.readResource({ uri: `signalbox://${name}` })
  const [content] = contents
  if (!content || !('text' in content)) throw new Error(`signalbox://${name} has no text`)
  return JSON.parse(content.text) as T
}

export const sessionOf = async (client: Client): Promise<string> => (await resource<Session>(client, 'session')).id

export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  { held = false, onProgress, signal }: CallOptions = {},
): Promise<Said> {
  const onprogress = onProgress ?? (held ? () => {} : undefined)
  const result = await client.callTool(
    { name, arguments: input },
    { timeout: 50_000, ...(onprogress && { onprogress, resetTimeoutOnProgress: true }), ...(signal && { signal }) },
  )
  const [content] = result.content
  if (content?.type !== 'text') throw new Error(`${name} gave no text`)
  const body = JSON.parse(content.text) as Record<string, unknown>
  return { ...body, isError: result.isError === true }
}

function placeAt(id: string, path: string, owner: Api): Place {
  const write: Place['write'] = async (name, content) => {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return {
    id,
    path,
    write,
    read: (name) =>
      readFile(join(path, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    async policy(settings) {
      await write('.signalbox/settings.json', JSON.stringify(settings))
      const place = { workspaceRoot: path }
      const query = new URLSearchParams(place)
      const { pending } = await owner.get<{ pending: { hash: string } | null }>(`/api/policy?${query.toString()}`)
      if (pending) await owner.post('/api/policy/confirm', { ...place, hash: pending.hash })
    },
  }
}

const run = promisify(execFile)

/** What `git diff` prints for a change of these files; null: the file does not exist. */
export async function gitDiff(
  before: Record<string, string | null>,
  after: Record<string, string | null>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sbd-'))
  const git = (...args: string[]) =>
    run('git', ['-c', 'core.autocrlf=false', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: folder,
    })
  const put = async (files: Record<string, string | null>) => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await (content === null ? rm(path, { force: true }) : writeFile(path, content))
    }
  }
  try {
    await git('init', '-q')
    await put(before)
    await git('add', '-A')
    await git('commit', '-q', '--allow-empty', '-m', 'before')
    await put(after)
    await git('add', '-A')
    return (await git('diff', '--cached', '--no-color', '--no-ext-diff')).stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
