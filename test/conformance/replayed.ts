import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { recordingOf, type Frame } from '../support/acp-recordings.ts'
import { processesAtHome } from '../support/agents/processes.ts'
import type { Api } from '../support/api.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { madeIn, turnsOf, type RecordedTurn } from './recorded.ts'
import type { Ask, Message, Session, SessionDetail } from './shapes.ts'
import { roomy } from './work.ts'

const program = fileURLToPath(new URL('../support/agents/replay-agent.mjs', import.meta.url))
const presets: Record<string, string> = { claude: 'claude', codexzed: 'codex', gemini: 'gemini', opencode: 'opencode' }

export type PermissionAsk = Ask & { subject: { kind: string; toolCall: Record<string, unknown>; options: unknown[] } }
export type Tool = { toolCallId: string; status: string }
export type Prompt = { id: string; sessionId: string; status: string }
type AgentState = {
  modes: { currentModeId: string } | null
  configOptions: { id: string; currentValue: unknown }[]
  turn: unknown
}

/** A running recorded agent: its scenarios are the agents of a server. */
export type Stage = AsyncDisposable & { readonly api: Api; take(scenario: string): Promise<Take> }

/** One scenario in its own workspace. */
export type Take = {
  readonly workspace: string
  /** What was said and done in its recordings, in order. */
  readonly turns: RecordedTurn[]
  start(): Promise<Session>
  prompt(session: { id: string }, text: string): Promise<Prompt>
  settled(prompt: Prompt): Promise<void>
  detail(session: { id: string }): Promise<SessionDetail & { agentState: AgentState | null }>
  openAsk(session: { id: string }): Promise<PermissionAsk>
  /** What Signalbox and the agent have sent each other so far. */
  exchanged(): Promise<Frame[]>
}

/** By scenario: its recordings (consecutive runs of one agent), and further settings. */
export type Playbill = Record<string, { recordings: string[]; settings: string }>

/** The preset's settings for the recorded agent. */
export const asPreset = (agent: string): string => `preset = "${presets[agent]}"`

export async function openStage(agent: string, playbill: Playbill): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sb-replay-')))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  const logOf = (scenario: string) => join(folder, `${scenario}.jsonl`)
  const config = Object.entries(playbill).map(([scenario, { recordings, settings }]) => {
    const files = recordings.map((name) => recordingOf(agent, name).file)
    return `[agents.${scenario}]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([program, ...files, '--log', logOf(scenario)])}
env = { HOME = ${JSON.stringify(home)} }
isolation = "none"
${settings}`
  })
  const server = stack.use(await startServer({ config: [roomy, '[acp]\nmax_sessions = 1000', ...config].join('\n') }))
  const kept = stack.move()
  const api = server.api()

  return {
    api,
    async take(scenario) {
      const workspace = join(folder, scenario)
      // A retry starts empty.
      await rm(workspace, { recursive: true, force: true })
      await mkdir(workspace)
      const recordings = playbill[scenario]?.recordings ?? []
      return {
        ...handsOn(api),
        workspace,
        turns: recordings.flatMap((name) => turnsOf(madeIn(workspace, recordingOf(agent, name).frames))),
        start: () => api.post('/api/sessions', { agent: scenario, workspaceRoot: workspace }),
        async exchanged() {
          const text = await readFile(logOf(scenario), 'utf8')
          return text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Frame)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await using _rest = kept
      await api.post('/api/stop', { agents: 'end' })
      await until(() => processesAtHome(home).length === 0, { what: 'the end of every agent' })
    },
  }
}

const handsOn = (api: Api): Pick<Take, 'prompt' | 'settled' | 'detail' | 'openAsk'> => ({
  prompt: (session, text) => api.post(`/api/sessions/${session.id}/prompt`, { text }),
  async settled({ id, sessionId }) {
    const over = async () => {
      const { items } = await api.get<{ items: Prompt[] }>(`/api/sessions/${sessionId}/queue`)
      return items.some((item) => item.id === id && item.status === 'delivered')
    }
    await until(over, { what: 'the end of the turn' })
  },
  detail: (session) => api.get(`/api/sessions/${session.id}`),
  async openAsk(session) {
    const look = async () => {
      const { asks } = await api.get<{ asks: PermissionAsk[] }>(`/api/asks?status=open&sessionId=${session.id}`)
      return asks.length > 0 ? asks : null
    }
    const [ask, ...more] = await until(look, { what: 'an ask' })
    expect(more).toEqual([])
    return ask!
  },
})

/** What came after a person's last message. */
const sinceLastPrompt = (messages: Message[]): Message[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)

export const saidIn = (messages: Message[]): string =>
  sinceLastPrompt(messages)
    .map(({ role, content }) => (role === 'agent' && content['type'] === 'text' ? String(content['text']) : ''))
    .join('')

export const thoughtIn = (messages: Message[]): string =>
  sinceLastPrompt(messages)
    .map(({ content }) => (content['type'] === 'thought' ? String(content['text']) : ''))
    .join('')

export const toolsIn = (messages: Message[]): Tool[] =>
  sinceLastPrompt(messages).flatMap(({ content }) =>
    content['type'] === 'tool'
      ? [{ toolCallId: String(content['toolCallId']), status: String(content['status']) }]
      : [],
  )
