import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Api } from '../support/api.ts'
import { startServer, type DatabaseKind, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Ask, Message, Session, SessionDetail } from './shapes.ts'

export type AgentSession = Session & { isolation: 'none' | 'sandbox' | 'container' | null }
export type QueueItem = {
  id: string
  sessionId: string
  text: string
  when: string
  status: string
  by: string
  deliveredAt: string | null
  position?: number
}
type Mode = { id: string }
type AgentState = {
  agentSessionId: string | null
  agentInfo: { name: string; version: string } | null
  capabilities: Record<string, unknown>
  modes: { currentModeId: string; availableModes: Mode[] } | null
  configOptions: { id: string; currentValue: unknown }[]
  commands: { name: string }[]
  confinement: string
  usage: { used: number | null; size: number | null; costUsd: number | null } | null
  turn: { itemId: string; cancelled: boolean } | null
  worktree: { path: string; branch: string; repo: string } | null
  budget: { costUsd: number | null; tokens: number | null } | null
}
type Detail = SessionDetail & AgentSession & { agentState: AgentState | null; queue: QueueItem[] }
type Subject = {
  kind: string
  toolCall: Record<string, unknown>
  options: { optionId: string; name: string; kind: string }[]
}
export type OpenAsk = Ask & { title: string; origin: string; subject: Subject & Record<string, unknown> }
type Tool = { type: 'tool'; toolCallId: string; title: string; status: string; content?: unknown }

/** The practice agent on its own server; everything it starts has the harness's home. */
export type AgentsHarness = AsyncDisposable & {
  readonly server: Server
  readonly api: Api
  /** HOME of the server and of its agents. */
  readonly home: string
  workspace(): Promise<string>
  /** A session of the practice agent, unconfined, in its own workspace. */
  start(more?: Record<string, unknown>): Promise<AgentSession>
  detail(session: { id: string }): Promise<Detail>
  prompt(session: { id: string }, text: string, when?: string): Promise<QueueItem>
  /** Its turn has ended. */
  settled(item: QueueItem): Promise<void>
  /** Prompts, waits for the end of the turn, and returns what the agent said in it. */
  say(session: { id: string }, text: string): Promise<string>
  /** What the agent said since the last prompt. */
  said(session: { id: string }): Promise<string>
  saying(session: { id: string }, part: string): Promise<void>
  openAsks(session: { id: string }, count?: number): Promise<OpenAsk[]>
  openAsk(session: { id: string }): Promise<OpenAsk>
  answer(ask: { id: string }, answer: Record<string, unknown>): Promise<OpenAsk>
  become(session: { id: string }, status: string): Promise<Detail>
  /** Processes of agents, and of everything they started. */
  running(session?: { id: string }): number[]
  keeperPid(): number | null
}

type AgentsHarnessOptions = { database?: DatabaseKind; config?: string; env?: Record<string, string> }

/** Asks do not expire, and there are slots for every test. */
const usual = '[acp]\nmax_sessions = 1000\n'

export async function openAgentsHarness(options: AgentsHarnessOptions = {}): Promise<AgentsHarness> {
  await using stack = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sby-')))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(folder, 'home')
  await mkdir(home)
  const server = stack.use(
    await startServer({
      ...(options.database && { database: options.database }),
      config: options.config ?? usual,
      env: { HOME: home, ...options.env },
    }),
  )
  const dataDir = await realpath(server.home)
  stack.defer(() => rm(`${dataDir}.worktrees`, { recursive: true, force: true }))
  const kept = stack.move()
  let places = 0
  const api = server.api()

  async function workspace(): Promise<string> {
    places += 1
    const path = join(folder, `place-${places}`)
    await mkdir(path)
    return path
  }

  const detail: AgentsHarness['detail'] = (session) => api.get(`/api/sessions/${session.id}`)
  const queue = async (id: string) => (await api.get<{ items: QueueItem[] }>(`/api/sessions/${id}/queue`)).items

  const harness: AgentsHarness = {
    server,
    api,
    home,
    workspace,
    async start(more = {}) {
      const place = 'repoId' in more || 'workspaceRoot' in more ? {} : { workspaceRoot: await workspace() }
      return api.post('/api/sessions', { agent: 'practice', isolation: 'none', ...place, ...more })
    },
    detail,
    prompt: (session, text, when) =>
      api.post(`/api/sessions/${session.id}/prompt`, { text, ...(when !== undefined && { when }) }),
    async settled({ id, sessionId }) {
      const over = async () => (await queue(sessionId)).some((item) => item.id === id && item.status === 'delivered')
      await until(over, { what: 'the end of the turn' })
    },
    async say(session, text) {
      await harness.settled(await harness.prompt(session, text))
      return harness.said(session)
    },
    said: async (session) => textSince((await detail(session)).messages),
    async saying(session, part) {
      const heard = async () => (await harness.said(session)).includes(part)
      await until(heard, { what: `"${part}" in the agent's words` })
    },
    openAsks: (session, count = 1) =>
      until(
        async () => {
          const { asks } = await api.get<{ asks: OpenAsk[] }>(`/api/asks?status=open&sessionId=${session.id}`)
          return asks.length >= count ? asks : null
        },
        { what: `${count} open asks` },
      ),
    async openAsk(session) {
      const [ask, ...more] = await harness.openAsks(session)
      expect(more).toEqual([])
      return ask!
    },
    answer: (ask, answer) => api.post(`/api/asks/${ask.id}/answer`, answer),
    become: (session, status) =>
      until(
        async () => {
          const now = await detail(session)
          return now.status === status ? now : null
        },
        { what: `the session as ${status}` },
      ),
    running: (session) => agentsAtHome(home, session?.id),
    keeperPid: () =>
      processes().find(({ command }) => command.includes('keeper.') && command.endsWith(dataDir))?.pid ?? null,
    async [Symbol.asyncDispose]() {
      await using _rest = kept
      const stopped = await api.send('POST', '/api/stop', { body: { agents: 'end' } }).catch(() => null)
      if (stopped === null) {
        await server.restart()
        await api.post('/api/stop', { agents: 'end' })
      }
      await until(() => agentsAtHome(home).length === 0, { what: 'the end of every agent' })
    },
  }
  return harness
}

/** What came after a person's last message. */
const textSince = (messages: Message[]): string =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    .map(({ role, content }) => (role === 'agent' && content['type'] === 'text' ? String(content['text']) : ''))
    .join('')

export const toolsOf = (messages: Message[]): Tool[] =>
  messages.flatMap(({ content }) => (content['type'] === 'tool' ? [content as Tool] : []))

export const notesOf = (messages: Message[]): string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'system' && content['type'] === 'text' ? [String(content['text'])] : [],
  )

const faulty = fileURLToPath(new URL('../support/agents/fault-agent.mjs', import.meta.url))

/** The agent that misbehaves this way, as a person would configure it. */
export const faultAgent = (kind: string): string =>
  `[agents.${kind}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([faulty, kind])}\nisolation = "none"\n`

const slow = fileURLToPath(new URL('agents-slow.mjs', import.meta.url))
const plain = fileURLToPath(new URL('./agents-plain.mjs', import.meta.url))

/** The agent of agents-plain.mjs, which supports only a little of public ACP. */
export const plainAgent = (name: string, args: readonly string[] = [], more = ''): string =>
  `[agents.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([plain, ...args])}\nisolation = "none"\n${more}\n`

/** Answers its first request after this many seconds; until then it prints, computes or waits. */
export const slowAgent = (name: string, log: string, how: string, seconds: number): string =>
  `[agents.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([slow, log, how, String(seconds)])}\nisolation = "none"\n`

export async function newRepo(harness: AgentsHarness, path?: string): Promise<{ id: string; path: string }> {
  const place = path ?? (await harness.workspace())
  git(place, 'init', '--quiet', '--initial-branch=main')
  git(place, 'commit', '--quiet', '--allow-empty', '--message=first')
  return harness.api.post('/api/repos', { path: place })
}

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd, encoding: 'utf8' })

export const read = (...path: string[]): Promise<string | null> => readFile(join(...path), 'utf8').catch(() => null)

function processes(): { pid: number; command: string; environment: string[] }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0')
        return [{ pid: Number(pid), command: of('cmdline').join(' ').trim(), environment: of('environ') }]
      } catch {
        return []
      }
    })
}

const agentsAtHome = (home: string, sessionId?: string): number[] =>
  processes()
    .filter(({ environment }) => environment.includes(`HOME=${home}`))
    .filter(({ environment }) => environment.some((one) => one.startsWith('SIGNALBOX_CHILD=')))
    .filter(
      ({ environment }) =>
        sessionId === undefined || environment.some((one) => one === `SIGNALBOX_SESSION_ID=${sessionId}`),
    )
    .map(({ pid }) => pid)
