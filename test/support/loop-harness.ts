import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshHome } from './kill-harness-server.ts'
import { connectLoopClient, type LoopClient, type Spot, type Way } from './loop-client.ts'
import { treeOf, writeTree } from './loop-files.ts'
import type { LoopAsk } from './loop-operator.ts'
import { createLoopServer, type LoopServer } from './loop-server.ts'
import { until } from './until.ts'

/** A server with workspaces for agents. */
export type LoopHarness = AsyncDisposable & {
  readonly server: LoopServer
  spot(n: number): Spot
  /** The official client in the n-th workspace, each in its own session. */
  connect(n: number, way?: Way, token?: string): Promise<LoopClient>
  openAsks(): Promise<LoopAsk[]>
  openAsk(title: string): Promise<LoopAsk>
  answer(ask: { id: string }, answer: Record<string, unknown>): Promise<void>
  /** Resident memory of the server in megabytes. */
  memory(): number
}

export type LoopHarnessOptions = { places: number; env?: Readonly<Record<string, string>>; home?: string }

export async function openLoopHarness({ places, env = {}, home }: LoopHarnessOptions): Promise<LoopHarness> {
  await using stack = new AsyncDisposableStack()
  const path = home ?? stack.use(freshHome()).path
  // Next to the data directory, which can't be a workspace.
  const base = `${path}.places`
  if (home === undefined) stack.defer(() => rmSync(base, { recursive: true, force: true }))
  const ids = Array.from({ length: places }, (_, n) => `w${n}`)
  const rooted = ids.map((id) => ({ id, path: join(base, id), sessionId: randomUUID() }))
  for (const { id, path: root } of rooted) {
    mkdirSync(root, { recursive: true })
    writeTree(root, treeOf(id, 0))
  }
  const mapping = rooted.map((one) => `[[workspace]]\nid = "${one.id}"\nchannel_id = "C0"\npath = "${one.path}"\n`)
  writeFileSync(join(path, 'config.toml'), mapping.join('\n'))
  const server = stack.use(createLoopServer(path, { SIGNALBOX_WORKSPACE_ROOT: base, ...env }))
  await server.start()
  const { token } = await server.owner.post<{ token: string }>('/api/tokens', { name: 'agents', scope: 'agent' })
  const spot = (n: number): Spot => {
    const found = rooted[n]
    if (!found) throw new Error(`there are only ${places} workspaces`)
    return { ...found, token }
  }

  async function openAsks(): Promise<LoopAsk[]> {
    const found: LoopAsk[] = []
    let before = ''
    for (;;) {
      const query = `/api/asks?status=open&limit=100${before}`
      const { asks, next } = await server.owner.get<{ asks: LoopAsk[]; next: string | null }>(query)
      found.push(...asks)
      if (next === null) return found
      before = `&before=${encodeURIComponent(next)}`
    }
  }

  const kept = stack.move()
  return {
    server,
    spot,
    connect: (n, way = 'http', other) =>
      connectLoopClient(server, way, { ...spot(n), ...(other !== undefined && { token: other }) }),
    openAsks,
    openAsk: (title) =>
      until(async () => (await openAsks()).find((ask) => ask.title === title), { what: `an open ask “${title}”` }),
    async answer({ id }, answer) {
      await server.owner.post(`/api/asks/${id}/answer`, answer)
    },
    memory() {
      const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
      return Math.round(Number(line) / 1024)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
