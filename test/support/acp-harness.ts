import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listProcesses } from '../../src/lib/process-list.ts'
import { childMark, keeperPaths } from '../../src/keeper/protocol/paths.ts'
import type { Ask, Message, Session, SessionDetail } from '../conformance/shapes.ts'
import { isAlive } from './keeper.ts'
import { startServer, type Server, type ServerOptions } from './server.ts'
import { until } from './until.ts'

const faultAgent = fileURLToPath(new URL('agents/fault-agent.mjs', import.meta.url))
const rogueAgent = fileURLToPath(new URL('acp-rogue-agent.ts', import.meta.url))

export type Prompt = { id: string; sessionId: string; text: string; status: string }
export type PermissionAsk = Ask & { title: string; subject: { options: { optionId: string; kind: string }[] } }
export type AgentSession = Session & { id: string }

/** A server with agents that misbehave, and one that does not. */
export type AcpHarness = AsyncDisposable & {
  readonly server: Server
  readonly workspace: string
  start(agent: string, more?: Record<string, unknown>): Promise<AgentSession>
  prompt(session: { id: string }, text: string, more?: Record<string, unknown>): Promise<Prompt>
  queue(session: { id: string }): Promise<Prompt[]>
  /** The turn of this prompt has ended. */
  settled(prompt: Prompt, seconds?: number): Promise<void>
  detail(session: { id: string }): Promise<SessionDetail>
  /** Waits until it has this status. */
  becomes(session: { id: string }, status: string, seconds?: number): Promise<SessionDetail>
  asks(session: { id: string }, status?: string): Promise<PermissionAsk[]>
  openAsk(session: { id: string }, seconds?: number): Promise<PermissionAsk>
  answer(ask: PermissionAsk, kind?: 'allow_once' | 'reject_once'): Promise<void>
  /** Kills the server immediately. */
  crash(): Promise<void>
  /** Every process of this server's agents, wherever it went; or of one session, if unconfined. */
  running(session?: { id: string }): Promise<number[]>
  keeperPid(): number | null
  /** Log lines about this session, at warning or worse. */
  complaints(session: { id: string }): string[]
}

type Options = Omit<ServerOptions, 'config'> & { faults?: readonly Fault[]; maxSessions?: number; config?: string }
/** `kind` or `kind argument` of the fault agent or the rogue agent; each is an agent of this name. */
type Fault = { name: string; words: readonly string[]; isolation?: 'none' | 'sandbox'; rogue?: boolean; more?: string }

/** The agent `KIND`, unconfined. */
export const fault = (kind: string, ...more: string[]): Fault => ({ name: kind, words: [kind, ...more] })
export const rogue = (kind: string, ...more: string[]): Fault => ({ name: kind, words: [kind, ...more], rogue: true })

export async function openAcpHarness(options: Options = {}): Promise<AcpHarness> {
  const { faults = [], maxSessions = 100, config = '', ...rest } = options
  await using stack = new AsyncDisposableStack()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sbf-')))
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const workspace = join(folder, 'work')
  await mkdir(workspace)
  // Also identifies them inside a sandbox, whatever else is hidden.
  const token = `YARD=${folder}`
  const state = join(folder, 'state')
  const practice = `[agents.practice]\nisolation = "none"\nenv = { YARD = "${folder}", XDG_STATE_HOME = "${state}" }\n`
  const agents = faults.map((one) => agentTable(one, folder))
  const server = stack.use(
    await startServer({
      ...rest,
      config: [`[acp]\nmax_sessions = ${maxSessions}\n${config}`, practice, ...agents].join('\n'),
    }),
  )
  const mark = childMark(keeperPaths(server.home).homeHash, '')

  async function running(session?: { id: string }): Promise<number[]> {
    const own = mark + (session?.id ?? '')
    const marked = (await listProcesses()).filter(({ mark: theirs }) => theirs?.startsWith(own)).map(({ pid }) => pid)
    return [...new Set([...marked, ...(session ? [] : withVariable(token))])]
  }
  // Cleans up what a test left: nothing outlives it.
  stack.defer(async () => {
    await server.kill('SIGKILL').catch(() => {})
    for (const pid of [...keepersAt(server.home), ...(await running())]) signal(pid)
    await until(() => keepersAt(server.home).length === 0, { what: 'the end of the keeper' })
    await until(async () => (await running()).length === 0, { what: 'the end of every agent' })
  })
  const kept = stack.move()
  const api = () => server.api()

  const harness: AcpHarness = {
    server,
    workspace,
    running,
    start: (agent, more = {}) => api().post('/api/sessions', { agent, workspaceRoot: workspace, ...more }),
    prompt: (session, text, more = {}) => api().post(`/api/sessions/${session.id}/prompt`, { text, ...more }),
    queue: async (session) => (await api().get<{ items: Prompt[] }>(`/api/sessions/${session.id}/queue`)).items,
    async settled(prompt, seconds = 20) {
      const over = async () =>
        (await harness.queue({ id: prompt.sessionId })).some(
          ({ id, status }) => id === prompt.id && status === 'delivered',
        )
      await until(over, { seconds, what: 'the end of the turn' })
    },
    detail: (session) => api().get(`/api/sessions/${session.id}`),
    async becomes(session, status, seconds = 20) {
      let last = ''
      return until(
        async () => {
          const detail = await harness.detail(session)
          last = detail.status
          return last === status ? detail : null
        },
        { seconds, what: `the status ${status}` },
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}; it is ${last}`)
      })
    },
    async asks(session, status = 'open') {
      return (await api().get<{ asks: PermissionAsk[] }>(`/api/asks?status=${status}&sessionId=${session.id}`)).asks
    },
    openAsk: (session, seconds = 20) =>
      until(async () => (await harness.asks(session))[0], { seconds, what: 'an ask of the agent' }),
    async answer(ask, kind = 'allow_once') {
      const option = ask.subject.options.find((offered) => offered.kind === kind)
      await api().post(`/api/asks/${ask.id}/answer`, { outcome: 'select', optionId: option?.optionId })
    },
    crash: () => server.kill('SIGKILL'),
    keeperPid: () => keepersAt(server.home)[0] ?? null,
    complaints: (session) =>
      server
        .log()
        .split('\n')
        .filter((line) => line.includes(session.id) && /"level":"?(warn|error|40|50)/.test(line)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
  return harness
}

function agentTable(
  { name, words, isolation = 'none', rogue: isRogue = false, more = '' }: Fault,
  folder: string,
): string {
  const args = [isRogue ? rogueAgent : faultAgent, ...words]
  return `[agents.${name}]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify(args)}
env = { YARD = ${JSON.stringify(folder)} }
isolation = "${isolation}"
${more}`
}

const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** Live processes with this in their environment. */
function withVariable(words: string): number[] {
  const has = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(words)
    } catch {
      return false
    }
  }
  return pids().filter(has).map(Number).filter(isAlive)
}

function keepersAt(home: string): number[] {
  const isKeeper = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words.some((word) => word.endsWith('/keeper.js')) && words.includes(home)
    } catch {
      return false
    }
  }
  return pids().filter(isKeeper).map(Number).filter(isAlive)
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

/** The peak memory of a process, in megabytes. */
export const peakMegabytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** What the agent said in all turns, and in the last one. */
export const textOf = (messages: readonly Message[]): string =>
  messages
    .map(({ role, content }) => (role === 'agent' && content['type'] === 'text' ? String(content['text']) : ''))
    .join('')
export const lastTurn = (messages: readonly Message[]): Message[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)

/** The text of `/slow N`. */
export const slowWords = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word-${index + 1}`).join(' ')
/** The text of a flood of N. */
export const floodWords = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1} `).join('')

/** Another session that works throughout: it must not notice anything. */
export async function watchBystander(harness: AcpHarness, words = 100) {
  const session = await harness.start('practice')
  const quick = await harness.start('practice')
  const stream = await harness.prompt(session, `/slow ${words} 20`)
  return {
    session,
    /** It sent every word once and in order, and another one answers at once. */
    async unharmed(): Promise<{ text: string; expected: string; answeredMs: number }> {
      const began = performance.now()
      const said = await harness.prompt(quick, '/say here')
      await harness.settled(said, 10)
      const answeredMs = performance.now() - began
      await harness.settled(stream, words * 0.1 + 10)
      const { messages } = await harness.detail(session)
      return { text: textOf(messages), expected: slowWords(words), answeredMs }
    },
  }
}
