import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { agentProgram, ensureAgents } from '../../scripts/lib/agents.mjs'
import type { Ask, Message, Session, SessionDetail } from '../conformance/shapes.ts'
import { startModel, type Model } from '../support/agents/model/model.ts'
import { scriptOf, type Step } from '../support/agents/model/script.ts'
import { processesAtHome, processesNaming } from '../support/agents/processes.ts'
import { configOf, profileOf, type RealAgent } from '../support/agents/profiles.ts'
import { startServer, type Server } from '../support/server.ts'
import type { LogEvent } from '../support/sse.ts'
import { until } from '../support/until.ts'

export type AgentSession = Session & { isolation: 'none' | 'sandbox' | 'container' | null }
export type Prompt = { id: string; sessionId: string; status: string }
export type PermissionAsk = Ask & { subject: { kind: string; options?: { optionId: string; kind: string }[] } }

/** A real agent, the model it uses, and a server that has it configured. */
export type RealAgentHarness = AsyncDisposable & {
  readonly server: Server
  readonly model: Model
  /** A file in the workspace: its text, or null if missing. */
  path(file: string): string
  text(file: string): Promise<string | null>
  start(more?: Record<string, unknown>): Promise<AgentSession>
  /** Sends the script as a prompt. */
  prompt(session: { id: string }, ...steps: Step[]): Promise<Prompt>
  /** The prompt it was started with. */
  firstPrompt(session: { id: string }): Promise<Prompt>
  /** Its turn has ended. */
  settled(prompt: Prompt): Promise<void>
  /** What the agent said since the last prompt. */
  said(session: { id: string }): Promise<string>
  /** All its messages, as text. */
  transcript(session: { id: string }): Promise<string>
  /** Alerts: an approved file that differs, say. */
  alerts(): Promise<LogEvent[]>
  openAsk(session: { id: string }): Promise<PermissionAsk>
  answer(ask: PermissionAsk, kind: 'allow_once' | 'reject_once'): Promise<void>
  /** Processes of the agent and everything it started, and among them the agent itself. */
  running(): number[]
  agents(): number[]
  end(session: { id: string }): Promise<void>
}

// The first command of OpenCode takes ten seconds on a quiet machine.
const patience = 120
// Real agents on a machine that may be busy.
const unhurried = '[acp]\nstartup_timeout_seconds = 120\n'

export async function openRealAgentHarness(agent: RealAgent): Promise<RealAgentHarness> {
  await ensureAgents([agent])
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'sba-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')]
  await mkdir(workspace)
  const model = stack.use(await startModel())
  const config = `${unhurried}${configOf(agent, profileOf(agent, { home, modelUrl: model.url }))}`
  const server = stack.use(await startServer({ config }))
  const kept = stack.move()

  const messagesOf = async (session: { id: string }) =>
    (await server.api().get<SessionDetail>(`/api/sessions/${session.id}`)).messages
  const promptsOf = async (sessionId: string) =>
    (await server.api().get<{ items: Prompt[] }>(`/api/sessions/${sessionId}/queue`)).items
  const running = () => processesAtHome(home)
  const asksOf = async (session: { id: string }) =>
    (await server.api().get<{ asks: PermissionAsk[] }>(`/api/asks?status=open&sessionId=${session.id}`)).asks

  return {
    server,
    model,
    running,
    agents() {
      const named = processesNaming(agentProgram(agent))
      return running().filter((pid) => named.includes(pid))
    },
    path: (file) => join(workspace, file),
    text: (file) => readFile(join(workspace, file), 'utf8').catch(() => null),
    start: (more = {}) => server.api().post('/api/sessions', { agent, workspaceRoot: workspace, ...more }),
    prompt: (session, ...steps) =>
      server.api().post(`/api/sessions/${session.id}/prompt`, { text: scriptOf(...steps) }),
    firstPrompt: async ({ id }) => (await promptsOf(id))[0]!,
    async settled(prompt) {
      const isOver = async () => {
        const prompts = await promptsOf(prompt.sessionId)
        return prompts.find(({ id }) => id === prompt.id)?.status === 'delivered'
      }
      await until(isOver, { seconds: patience, what: `the end of the turn of ${agent}` }).catch(
        async (error: unknown) => {
          const diagnosis = await server.api().send('GET', `/api/sessions/${prompt.sessionId}/diagnosis`)
          throw new Error(`${String(error)}: ${diagnosis.text}`, { cause: error })
        },
      )
    },
    async said(session) {
      const messages = await messagesOf(session)
      const last = messages.findLastIndex(({ role }) => role === 'user')
      return messages
        .slice(last + 1)
        .map(spokenBy)
        .join('')
    },
    transcript: async (session) => JSON.stringify(await messagesOf(session)),
    alerts: async () => (await server.api().get<{ events: LogEvent[] }>('/api/audit?type=session.alerted')).events,
    async openAsk(session) {
      const [ask, ...more] = await until(
        async () => {
          const open = await asksOf(session)
          return open.length > 0 ? open : null
        },
        { seconds: patience, what: `an ask of ${agent}` },
      )
      expect(more).toEqual([])
      return ask!
    },
    async answer(ask, kind) {
      const option = ask.subject.options?.find((offered) => offered.kind === kind)
      const outright = { outcome: kind === 'allow_once' ? 'approve' : 'reject' }
      const answer = option ? { outcome: 'select', optionId: option.optionId } : outright
      await server.api().post(`/api/asks/${ask.id}/answer`, answer)
    },
    async end(session) {
      await server.api().post(`/api/sessions/${session.id}/complete`)
    },
    async [Symbol.asyncDispose]() {
      await using _rest = kept
      await server.api().post('/api/stop', { agents: 'end' })
      await until(() => running().length === 0, { what: `the end of every process of ${agent}` })
      await until(() => processesNaming(server.home).length === 0, { what: 'the end of the keeper' })
    },
  }
}

function spokenBy({ role, content }: Message): string {
  return role === 'agent' && content['type'] === 'text' ? String(content['text']) : ''
}
