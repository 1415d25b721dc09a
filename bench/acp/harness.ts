import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { makeToken, startSignalbox } from '../lib/program.ts'

export type HeardEvent = { type: string; sessionId: string; data: string }

export type EventListener = Disposable & { readonly closed: Promise<void> }

/** The built server with its own data directory and workspace. */
export type ServerHarness = AsyncDisposable & {
  readonly home: string
  /** Environment of the server. */
  readonly env: Record<string, string>
  readonly workspace: string
  readonly pid: number
  call<T>(method: string, path: string, body?: object): Promise<T>
  /** Calls back for every event; settles when the stream is open. */
  listen(query: string, heard: (event: HeardEvent) => void): Promise<EventListener>
  /** A streamed response on its own connection. */
  open(path: string): Promise<IncomingMessage>
}

export async function openServerHarness(folder: string, more = '', nodeOptions = ''): Promise<ServerHarness> {
  await using stack = new AsyncDisposableStack()
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  await makeDataDirectory(home)
  const person = join(folder, 'person')
  for (const made of [work, person]) mkdirSync(made)
  const workspace = realpathSync(work)
  // Agents write to HOME, which must differ from the data directory.
  const env = { PATH: process.env['PATH'] ?? '', HOME: person, SIGNALBOX_HOME: home, NODE_OPTIONS: nodeOptions }
  writeFileSync(join(home, 'config.toml'), `[acp]\nmax_sessions = 1000\non_stop = "end"\n${more}`, { mode: 0o600 })
  const { port, pid } = stack.use(await startSignalbox(home, env))
  const headers = { authorization: `Bearer ${await makeToken(home)}`, 'content-type': 'application/json' }
  const agent = new Agent({ keepAlive: true })
  stack.defer(() => agent.destroy())
  const kept = stack.move()

  const askOnce = (method: string, path: string, body: string | null, pool: Agent | false) =>
    new Promise<IncomingMessage | null>((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
      const given = { port, host: '127.0.0.1', path, method, agent: pool, headers: { ...headers, ...length } }
      const asked = request(given, resolve)
      asked.once('error', (error) => (asked.reusedSocket ? resolve(null) : reject(error))).end(body ?? undefined)
    })

  /** The server may close an idle connection just as it is reused: then the request was not read, so it is sent again. */
  async function ask(method: string, path: string, body: string | null, pool: Agent | false): Promise<IncomingMessage> {
    for (;;) {
      const answer = await askOnce(method, path, body, pool)
      if (answer) return answer
    }
  }

  return {
    home,
    env,
    workspace,
    pid,
    async call<T>(method: string, path: string, body?: object) {
      const response = await ask(method, path, body ? JSON.stringify(body) : null, agent)
      const text = Buffer.concat(await response.toArray()).toString()
      const status = response.statusCode ?? 0
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
      return JSON.parse(text) as T
    },
    async listen(query, heard) {
      const response = await ask('GET', `/api/events${query}`, null, false)
      let rest = ''
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        const frames = (rest + chunk).split('\n\n')
        rest = frames.pop() ?? ''
        for (const frame of frames) {
          const event = eventIn(frame)
          if (event) heard(event)
        }
      })
      const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
      return { closed, [Symbol.dispose]: () => void response.destroy() }
    },
    async open(path) {
      const response = await ask('GET', path, null, false)
      if (response.statusCode !== 200) throw new Error(`GET ${path} answered ${response.statusCode}`)
      return response
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function eventIn(frame: string): HeardEvent | null {
  const type = /^event: (.*)$/m.exec(frame)?.[1]
  const data = /^data: (.*)$/m.exec(frame)?.[1]
  const sessionId = /"sessionId":"([^"]*)"/.exec(data ?? '')?.[1]
  return type === undefined || data === undefined ? null : { type, data, sessionId: sessionId ?? '' }
}
