import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { agentProgram } from '../../scripts/lib/agents.mjs'
import { startModel } from '../../test/support/agents/model/model.ts'
import { scriptOf } from '../../test/support/agents/model/script.ts'
import { sandboxWorks } from '../../test/support/agents/processes.ts'
import { configOf, profileOf } from '../../test/support/agents/profiles.ts'
import type { EchoSettings } from '../held/peer.ts'
import { startChild, type Child } from '../lib/child.ts'
import { freePort } from '../lib/free-port.ts'
import { atMost, forInformation, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import type { BareStart } from './bare.ts'
import { openServerHarness, type ServerHarness } from './harness.ts'
import { launchOf } from './launch-of.ts'

const real = ['gemini', 'codex'] as const
type Isolation = 'none' | 'sandbox'
type Start = { agent: string; isolation: Isolation; prompt: string }

export const firstUpdate: Line = {
  name: 'first-update',
  measured: `Milliseconds to an agent's first word. Ours: from \`POST /api/sessions\` with a prompt until a reader of
\`GET /api/events\` gets the first \`message.chunk\`, on the built server with its keeper. The peer: the SDK alone,
from the spawn of the same command line, bubblewrap's part included, to the first chunk of text: initialize,
session/new, session/prompt. Ours gives every agent an MCP server, and so does the peer: an echo tool of the bare SDK
over HTTP, because some agents connect to their servers before their first word. The second figure is the cost of that
alone. Real agents (from the tests' cache, if installed) use a scripted model on loopback. They are what people wait
for, so they have the limit. The practice agent starts so quickly that a few fixed milliseconds show.`,
  async run({ folder, quick }) {
    await using stack = new AsyncDisposableStack()
    const model = stack.use(await startModel())
    const installed = real.filter((agent) => existsSync(agentProgram(agent)))
    const profiles = installed.map((agent) =>
      configOf(agent, profileOf(agent, { home: join(folder, agent), modelUrl: model.url })),
    )
    const harness = stack.use(await openServerHarness(folder, profiles.join('\n')))
    const bare = stack.use(await startChild(import.meta.resolve('./bare.ts'), null))
    const tools: EchoSettings = { port: await freePort() }
    stack.use(await startChild(import.meta.resolve('../held/peer.ts'), tools))
    const mcpUrl = `http://127.0.0.1:${tools.port}/mcp`
    const isolations: Isolation[] = sandboxWorks() ? ['none', 'sandbox'] : ['none']
    const usual = isolations.at(-1) ?? 'none'
    const said = scriptOf({ say: 'Good morning.' })
    const starts: Start[] = [
      ...isolations.map((isolation) => ({ agent: 'practice', isolation, prompt: '/say Good morning.' })),
      ...installed.map((agent) => ({ agent, isolation: usual, prompt: said })),
    ]
    const figures: Figure[] = []
    for (const start of starts) figures.push(...(await measure(start, { harness, bare, mcpUrl, quick })))
    return figures
  },
}

type Measured = { harness: ServerHarness; bare: Child; mcpUrl: string; quick: boolean }

async function measure(start: Start, { harness, bare, mcpUrl, quick }: Measured): Promise<Figure[]> {
  const { agent, isolation, prompt } = start
  const alone: BareStart = { command: await launchOf(harness, agent, isolation), prompt }
  const { ours, peer, without } = await interleaved(quick ? 3 : agent === 'practice' ? 15 : 7, {
    without: () => bare.call<number>('start', alone),
    peer: () => bare.call<number>('start', { ...alone, mcpUrl } satisfies BareStart),
    ours: () => timeOf(harness, start),
  })
  const name = `first-update/${agent}/${isolation}`
  const figure = {
    name,
    title: `Start to first update, ${agent}, isolation ${isolation}`,
    unit: 'ms',
    ours: sampleOf(ours),
    peer: sampleOf(peer),
    ratio: ratioOf(ours, peer),
  }
  if (agent === 'practice') return [forInformation(figure)]
  const tools = forInformation({
    name: `${name}/tools`,
    title: `The SDK alone on ${agent}, with and without an MCP server`,
    unit: 'ms',
    ours: sampleOf(peer),
    peer: sampleOf(without),
    ratio: ratioOf(peer, without),
  })
  return [atMost(1.3, figure), tools]
}

async function timeOf(harness: ServerHarness, { agent, isolation, prompt }: Start): Promise<number> {
  using open = new DisposableStack()
  const first = Promise.withResolvers<number>()
  const hear = (id: string) =>
    harness.listen(`?session=${id}&type=message.chunk`, () => first.resolve(performance.now()))
  // A session's events can be read as soon as it exists, long before its agent sends anything.
  const started = await harness.listen('?type=session.started', ({ sessionId }) => {
    hear(sessionId).then((listening) => void open.use(listening), first.reject)
  })
  open.use(started)
  const began = performance.now()
  const wanted = { workspaceRoot: harness.workspace, agent, isolation, prompt }
  const { id } = await harness.call<{ id: string }>('POST', '/api/sessions', wanted)
  const took = (await first.promise) - began
  await harness.call('POST', `/api/sessions/${id}/complete`)
  return took
}
