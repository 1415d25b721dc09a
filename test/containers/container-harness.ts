import { readdirSync, readFileSync } from 'node:fs'
import { openAgentsHarness, type AgentSession, type AgentsHarness } from '../conformance/agents-harness.ts'
import {
  containersOf,
  engineCall,
  engineMissing,
  engineNames,
  engineSocket,
  type EngineName,
} from '../support/engines.ts'
import { until } from '../support/until.ts'

/** The engines, and why one can't be tested here. */
export const engines = engineNames.map((name) => ({ name, missing: engineMissing(name) }))

export type ContainerHarness = AgentsHarness & {
  readonly engine: string
  startIn(more?: Record<string, unknown>): Promise<AgentSession>
  /** What the agent's command printed in the container; approved on the way. */
  run(session: { id: string }, command: string): Promise<string>
  containers(session: { id: string }): ReturnType<typeof containersOf>
  /** The runner of a session: the process that the keeper holds. */
  runner(session: { id: string }): number
}

/** The practice agent in containers. */
export async function openContainerHarness(
  engine: EngineName | { socket: string },
  more: { config?: string; containers?: string; env?: Record<string, string> } = {},
): Promise<ContainerHarness> {
  const socket = typeof engine === 'string' ? engineSocket(engine) : engine.socket
  const config =
    `${more.config ?? ''}\n[acp]\nmax_sessions = 1000\nstartup_timeout_seconds = 60\n` +
    `[containers]\nengine = ${JSON.stringify(socket)}\nmax = 100\n${more.containers ?? ''}\n`
  const harness = await openAgentsHarness({ config, ...(more.env && { env: more.env }) })
  return Object.assign(harness, {
    engine: socket,
    startIn: (other: Record<string, unknown> = {}) => harness.start({ isolation: 'container', ...other }),
    async run(session: { id: string }, command: string) {
      const turn = await harness.prompt(session, `/run ${command}`)
      await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
      await harness.settled(turn)
      const { messages } = await harness.detail(session)
      const tool = messages.findLast(({ content }) => content['type'] === 'tool')?.content
      const parts = (tool?.['content'] ?? []) as { content?: { text?: string } }[]
      return parts.map(({ content }) => content?.text ?? '').join('')
    },
    containers: (session: { id: string }) => containersOf(socket, session),
    runner: (session: { id: string }) => runnerOf(session.id),
  })
}

/** Found by its environment and its program, as the keeper started it. */
function runnerOf(session: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const [command, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'))
      if (command!.includes('runner.js\0run') && environment!.includes(`SIGNALBOX_SESSION_ID=${session}`))
        return Number(pid)
    } catch {
      // It ended meanwhile.
    }
  throw new Error(`no runner of session ${session}`)
}

export async function killContainer(harness: ContainerHarness, session: { id: string }): Promise<void> {
  const [container] = await harness.containers(session)
  await engineCall(harness.engine, 'POST', `/v1.41/containers/${container!.Id}/kill`)
}

export const noContainers = (harness: ContainerHarness, session: { id: string }): Promise<unknown> =>
  until(async () => (await harness.containers(session)).length === 0, { what: 'the end of the container' })

/** The last process may still be ending. */
export const recovered = (harness: ContainerHarness, session: { id: string }): Promise<unknown> =>
  until(
    async () => {
      const { status, text } = await harness.api.send('POST', `/api/sessions/${session.id}/recover`)
      if (status >= 400 && status !== 409) throw new Error(text)
      return status < 400
    },
    { what: 'the recovery' },
  )
