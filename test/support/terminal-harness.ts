import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from './api.ts'
import { startServer, type Server, type ServerOptions } from './server.ts'
import { until } from './until.ts'

export type Detection = {
  waiting: boolean
  state: string
  promptId: string | null
  promptText: string
  promptType: string
  confidence: number
  matchedPattern: string
  filePosition: number
  timestamp: string
  isDangerous: boolean
  dangerReason: string | null
  decidedBy: string
  suggestedInputs: string[]
  choices: { key: string; label: string; selected: boolean; isDefault: boolean }[]
  default: string | null
  secret: boolean
  evidence: { signal: string; says: string; detail: string }[]
}
export type Terminal = {
  sessionId: string
  ownerUserId: string
  sessionType: string
  state: string
  status: string
  name: string | null
  logFile: string
  filePosition: number
  epoch: number
  startTime: string
  metadata: Record<string, string>
  command: string[] | null
  cwd: string | null
  exitCode: number | null
  exitSignal: string | null
  cols: number
  rows: number
  detection: Detection | null
}
export type Updates = { text: string; cursor: string; epoch: number; truncated: boolean; hasMore: boolean }
export type InputResult = { status: string; screenAfter: string }
export type InputEvent = {
  id: string
  sessionId: string
  promptText: string
  promptType: string
  inputText: string
  success: boolean | null
  inputSource: string
  responseTimeMs: number
  userId: string | null
  patternId: string | null
  secret: boolean
  at: string
}
export type TerminalHit = {
  matches: { sessionId: string; line: string; offset: number; at: string; before: string[]; after: string[] }[]
  truncated: boolean
  didYouMean: string[]
}
export type TerminalAsk = {
  id: string
  sessionId: string
  kind: string
  status: string
  title: string
  riskLevel: string
  reason: string | null
  subject: Record<string, unknown>
  answer: Record<string, unknown> | null
  answeredBy: string | null
}
export type PatternRule = {
  id: string
  status: string
  response: string
  evidence: number
  why: string
  promptText: string
}

/** A server, a directory for logs and script output, and terminals that do not outlive it. */
export type TerminalHarness = AsyncDisposable & {
  readonly server: Server
  readonly owner: Api
  readonly base: string
  at(name: string): string
  /** Runs a shell script in a terminal. */
  run(script: string, more?: Record<string, unknown>): Promise<Terminal>
  start(body: Record<string, unknown>): Promise<Terminal>
  follow(logFile: string, more?: Record<string, unknown>): Promise<Terminal>
  get(id: string): Promise<Terminal>
  detect(id: string): Promise<Detection>
  /** Until its prompt matches this. */
  waits(id: string, about: RegExp): Promise<Detection>
  type(id: string, text: string, more?: Record<string, unknown>): Promise<InputResult>
  /** Waits for the prompt, and answers it. */
  answer(id: string, about: RegExp, text: string): Promise<InputResult>
  updates(id: string, query?: Record<string, string | number>): Promise<Updates>
  /** Everything from a cursor on, until it matches this. */
  prints(id: string, about: RegExp, from?: string, seconds?: number): Promise<Updates>
  ended(id: string, seconds?: number): Promise<Terminal>
  inputs(id: string): Promise<InputEvent[]>
  asks(id: string, status?: string): Promise<TerminalAsk[]>
  openAsk(id: string): Promise<TerminalAsk>
  search(query: Record<string, string | number | boolean>): Promise<TerminalHit>
  proposals(status?: string): Promise<PatternRule[]>
  session(id: string): Promise<Record<string, unknown>>
  /** As a crash does. */
  crash(): Promise<void>
  restart(config?: string): Promise<void>
  keeperPid(): number
  /** Processes of programs in this harness's terminals. */
  programs(): number[]
}

/** A regular expression for exactly this text. */
export const literal = (text: string): RegExp => new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))

/** Prompts become asks only if a test wants that. */
export const noAsks = '[terminal]\nask = "off"\n'

export async function openTerminalHarness(options: ServerOptions = {}): Promise<TerminalHarness> {
  await using stack = new AsyncDisposableStack()
  const base = await mkdtemp(join(tmpdir(), 'sbt-'))
  stack.defer(() => rm(base, { recursive: true, force: true, maxRetries: 5 }))
  const server = stack.use(
    await startServer({
      config: noAsks,
      ...options,
      env: {
        SIGNALBOX_MAX_CONCURRENT_SESSIONS: '10000',
        SIGNALBOX_STALL__ENABLED: 'false',
        ...options.env,
      },
    }),
  )
  const started: string[] = []
  const programs = () => processes(({ environ }) => started.some((id) => environ.includes(`SIGNALBOX_SESSION=${id}`)))
  const keepers = () => processes(({ cmdline }) => cmdline.includes(server.home) && /keeper/.test(cmdline))
  stack.defer(async () => {
    await server.kill('SIGKILL')
    for (const pid of [...keepers(), ...programs()]) kill(pid)
    await until(() => keepers().length + programs().length === 0, { what: 'the end of what was started' })
  })
  const kept = stack.move()
  const fresh = () => server.api().as({ connection: 'close' })
  let owner = fresh()

  const start = async (body: Record<string, unknown>): Promise<Terminal> => {
    const terminal = await owner.post<Terminal>('/api/terminals', body)
    started.push(terminal.sessionId)
    return terminal
  }
  const get = (id: string) => owner.get<Terminal>(`/api/terminals/${id}`)
  const detect = (id: string) => owner.get<Detection>(`/api/terminals/${id}/detection`)
  const type = (id: string, text: string, more = {}) =>
    owner.post<InputResult>(`/api/terminals/${id}/input`, { text, ...more })
  const updates = (id: string, query: Record<string, string | number> = {}) =>
    owner.get<Updates>(`/api/terminals/${id}/updates?${queryOf(query)}`)
  const waits = async (id: string, about: RegExp): Promise<Detection> => {
    let last: Detection | null = null
    return until(
      async () => {
        last = await detect(id)
        return last.waiting && about.test(last.promptText) ? last : null
      },
      { what: `a prompt like ${about}` },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; ${JSON.stringify(last)}`)
    })
  }
  const asks = async (id: string, status = 'open') =>
    (await owner.get<{ asks: TerminalAsk[] }>(`/api/asks?sessionId=${id}&status=${status}`)).asks

  return {
    server,
    get owner() {
      return owner
    },
    base,
    at: (name) => join(base, name),
    start,
    run: (script, more = {}) => start({ sessionType: 'script', command: ['sh', '-c', script], ...more }),
    follow: (logFile, more = {}) => start({ sessionType: 'file', logFile, ...more }),
    get,
    detect,
    waits,
    type,
    async answer(id, about, text) {
      const { promptId, isDangerous } = await waits(id, about)
      return type(id, text, { expectPrompt: promptId, confirmed: isDangerous })
    },
    updates,
    async prints(id, about, from, seconds = 15) {
      let text = ''
      let cursor = from
      let truncated = false
      const look = async () => {
        const read = await updates(id, { maxLines: 10_000, ...(cursor !== undefined && { cursor }) })
        text += read.text
        truncated ||= read.truncated
        cursor = read.cursor
        return about.test(text) && !read.hasMore ? { ...read, text, truncated } : null
      }
      return until(look, { what: `output like ${about}`, seconds }).catch((error: unknown) => {
        throw new Error(`${String(error)}; it printed ${JSON.stringify(text.slice(-500))}`)
      })
    },
    ended: (id, seconds = 15) =>
      until(
        async () => {
          const terminal = await get(id)
          return terminal.state === 'stopped' ? terminal : null
        },
        { what: 'the end of the terminal', seconds },
      ),
    inputs: async (id) => (await owner.get<{ events: InputEvent[] }>(`/api/sessions/${id}/inputs`)).events,
    asks,
    openAsk: (id) => until(async () => (await asks(id))[0], { what: `an open ask of ${id}` }),
    search: (query) => owner.get<TerminalHit>(`/api/terminals/search?${queryOf(query)}`),
    proposals: async (status) =>
      (await owner.get<{ proposals: PatternRule[] }>(`/api/patterns/proposals${status ? `?status=${status}` : ''}`))
        .proposals,
    session: (id) => owner.get(`/api/sessions/${id}`),
    async crash() {
      await server.kill('SIGKILL')
    },
    async restart(config) {
      await server.restart(config)
      owner = fresh()
    },
    keeperPid() {
      const [pid] = keepers()
      if (pid === undefined) throw new Error('no keeper is running')
      return pid
    },
    programs,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const queryOf = (query: Record<string, string | number | boolean>): string =>
  new URLSearchParams(Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))).toString()

function processes(fits: (about: { environ: string; cmdline: string }) => boolean): number[] {
  const read = (pid: number, file: string) => readFileSync(join('/proc', String(pid), file), 'utf8')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && fits({ environ: read(pid, 'environ'), cmdline: read(pid, 'cmdline') })
      } catch {
        return false
      }
    })
}

export function isRunning(pid: number): boolean {
  try {
    // A zombie has ended; its exit was not collected yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
