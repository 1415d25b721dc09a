import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { AgentSession } from '../conformance/agents-harness.ts'
import type { Message, SessionDetail } from '../conformance/shapes.ts'

const agent = fileURLToPath(new URL('./hostile-agent.mjs', import.meta.url))
const isRoot = process.getuid?.() === 0

/** Needs no account, and owns nothing on the machine. */
const strangerId = 54_321

/** The users the server can run as here, and why not as others. */
export const standings = [
  { as: 'root', uid: undefined, missing: isRoot ? null : 'the tests do not run as root' },
  {
    as: 'an ordinary user',
    uid: isRoot ? strangerId : undefined,
    missing: !isRoot || othersCanRead() ? null : 'others may not read this directory',
  },
] as const

function othersCanRead(): boolean {
  const file = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
  const read = `require('node:fs').readFileSync(${JSON.stringify(file)})`
  const { status } = spawnSync(process.execPath, ['-e', read], { uid: strangerId, gid: strangerId })
  return status === 0
}

/** A server with a hostile agent, in the sandbox. */
export type SandboxHarness = AsyncDisposable & {
  readonly server: Server
  readonly uid: number | undefined
  readonly folder: string
  readonly home: string
  /** A directory that belongs to the user of the server. */
  place(name: string): Promise<string>
  start(workspaceRoot: string, more?: Record<string, unknown>): Promise<AgentSession>
  /** Output of the agent's shell. */
  run(session: { id: string }, script: string): Promise<string>
  detail(session: { id: string }): Promise<SessionDetail & { agentState: { confinement: string } | null }>
  end(session: { id: string }): Promise<void>
}

export async function openSandboxHarness(
  options: {
    uid?: number | undefined
    config?: string
    path?: string
    /** With mounts of its own: what an unconfined agent of root mounts is gone with it. */
    ownMounts?: boolean
  } = {},
): Promise<SandboxHarness> {
  await using stack = new AsyncDisposableStack()
  const { uid } = options
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sbh-')))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(folder, 0o755)
  const place = async (name: string): Promise<string> => {
    const path = join(folder, name)
    await mkdir(path, { recursive: true })
    if (uid !== undefined) await chown(path, uid, uid)
    return path
  }
  const home = await place('home')
  const apart = options.ownMounts === true ? ['unshare', '--mount', '--propagation', 'private'] : []
  const [command, ...args] = [...apart, process.execPath, agent]
  const config =
    `[agents.hostile]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n` +
    `isolation = "sandbox"\n${options.config ?? ''}`
  const env = { HOME: home, CANARY: 'of the server alone', ...(options.path !== undefined && { PATH: options.path }) }
  const server = stack.use(await startServer({ config, env, ...(uid !== undefined && { uid }) }))
  const kept = stack.move()
  const api = server.api()
  const detail: SandboxHarness['detail'] = (session) => api.get(`/api/sessions/${session.id}`)
  type Item = { id: string; status: string }
  return {
    server,
    uid,
    folder,
    home,
    place,
    start: (workspaceRoot, more = {}) => api.post('/api/sessions', { agent: 'hostile', workspaceRoot, ...more }),
    async run(session, script) {
      const item = await api.post<Item>(`/api/sessions/${session.id}/prompt`, { text: script })
      await until(
        async () => {
          const { items } = await api.get<{ items: Item[] }>(`/api/sessions/${session.id}/queue`)
          return items.some(({ id, status }) => id === item.id && status === 'delivered')
        },
        { what: 'the end of the turn', seconds: 30 },
      )
      return lastWords((await detail(session)).messages)
    },
    detail,
    async end(session) {
      await api.delete(`/api/sessions/${session.id}`)
    },
    async [Symbol.asyncDispose]() {
      await using _rest = kept
      await api.send('POST', '/api/stop', { body: { agents: 'end' } }).catch(() => null)
    },
  }
}

const lastWords = (messages: Message[]): string =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    .map(({ role, content }) => (role === 'agent' && content['type'] === 'text' ? String(content['text']) : ''))
    .join('')
