import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild, type Child } from '../lib/child.ts'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { freePort } from '../lib/free-port.ts'
import { makeToken, startSignalbox } from '../lib/program.ts'
import type { OpenAgents } from './agents.ts'
import type { EchoSettings } from './peer.ts'
import { openPost } from './post.ts'

/** The built server, the peer, and agents connected to both. */
export type HeldCallsHarness = AsyncDisposable & { readonly pid: number; readonly agents: Child }

type HeldCallsOptions = {
  agents: number
  /** MCP revision; by default the client's own. */
  revision?: string | null
  nodeOptions?: string
}

export async function openHeldCallsHarness(
  folder: string,
  { agents, revision = null, nodeOptions = '' }: HeldCallsOptions,
): Promise<HeldCallsHarness> {
  await using stack = new AsyncDisposableStack()
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  await makeDataDirectory(home)
  mkdirSync(work)
  const config = `workspace_root = ${JSON.stringify(work)}\nmax_concurrent_sessions = 10000\n`
  writeFileSync(join(home, 'config.toml'), config, { mode: 0o600 })
  const { port, pid } = stack.use(await startSignalbox(home, { NODE_OPTIONS: nodeOptions }))
  const personToken = await makeToken(home)
  using person = openPost(port, personToken)
  const made = await person.post('/api/tokens', { name: 'agents', scope: 'agent' })
  const { token } = JSON.parse(made) as { token: string }
  const given: EchoSettings = { port: await freePort() }
  stack.use(await startChild(import.meta.resolve('./peer.ts'), given))
  const child = stack.use(await startChild(import.meta.resolve('./agents.ts'), null))
  const path = revision === null ? '/mcp' : '/alone'
  const opened: OpenAgents = {
    ours: { url: `http://127.0.0.1:${port}/mcp`, token, revision },
    peer: { url: `http://127.0.0.1:${given.port}${path}`, token, revision },
    port,
    personToken,
    agents,
  }
  await child.call('open', opened)
  stack.defer(() => child.call('close'))
  const kept = stack.move()
  return { pid, agents: child, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
