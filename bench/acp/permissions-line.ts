import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { forInformation, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { openServerHarness, type ServerHarness } from './harness.ts'

const agents = 10
const permissions = 1000
const everyMs = 5
const bar = 100
const program = fileURLToPath(import.meta.resolve('./permission-agent.ts'))

export const permissionCrowd: Line = {
  name: 'permissions',
  measured: `${agents} agents ask for ${permissions / agents} permissions each at the same moment. Meanwhile another
client reads the newest 20 sessions, every ${everyMs} ms after each response. The figures are its longest wait until
all asks are open, and until all are answered over 20 connections and the turn has ended. "With nothing to do" is the
same client next to silent agents.`,
  async run({ folder, quick }) {
    const count = permissions
    const args = JSON.stringify([program, String(count / agents)])
    const agent = `[agents.permissions]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\nisolation = "none"\n`
    await using harness = await openServerHarness(folder, agent, process.env['BENCH_NODE_OPTIONS'] ?? '')
    const [idle, opening, answering]: [number[], number[], number[]] = [[], [], []]
    const rounds = quick ? 2 : 5
    for (let round = 0; round <= rounds; round += 1) {
      const took = await crowdOnce(harness, count)
      if (round === 0) continue
      idle.push(took.idle)
      opening.push(took.opening)
      answering.push(took.answering)
    }
    const title = (words: string) =>
      `${count.toLocaleString('en')} permissions at once, the longest others wait ${words}`
    const figure = (name: string, words: string, values: readonly number[]) => {
      const ours = sampleOf(values)
      const given = forInformation({
        name: `permissions/${name}`,
        title: title(words),
        unit: 'ms',
        ours,
        peer: sampleOf(idle),
      })
      return { ...given, bar: `≤ ${bar} ms`, holds: ours.median <= bar }
    }
    return [figure('opening', 'until all are open', opening), figure('answering', 'until all are answered', answering)]
  },
}

type Waits = { idle: number; opening: number; answering: number }

async function crowdOnce(harness: ServerHarness, count: number): Promise<Waits> {
  const wanted = { workspaceRoot: harness.workspace, agent: 'permissions' }
  const start = () => harness.call<{ id: string }>('POST', '/api/sessions', wanted)
  const ids = (await Promise.all(Array.from({ length: agents }, start))).map(({ id }) => id)
  const asked: string[] = []
  let running = agents
  const [allOpen, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  using _log = await harness.listen('?type=ask.opened,queue.delivered', ({ type, data }) => {
    if (type === 'queue.delivered') {
      running -= 1
      if (running === 0) settled.resolve()
      return
    }
    asked.push(/"id":"([^"]*)"/.exec(data.slice(data.indexOf('"data"')))?.[1] ?? '')
    if (asked.length === count) allOpen.resolve()
  })
  const idle = await longestWait(harness, () => sleep(500))
  const opening = await longestWait(harness, async () => {
    await Promise.all(ids.map((id) => harness.call('POST', `/api/sessions/${id}/prompt`, { text: 'go' })))
    await allOpen.promise
  })
  const answering = await longestWait(harness, async () => {
    const next = asked.values()
    const answerer = async () => {
      for (const ask of next)
        await harness.call('POST', `/api/asks/${ask}/answer`, { outcome: 'approve', optionId: 'yes' })
    }
    await Promise.all(Array.from({ length: 20 }, answerer))
    await settled.promise
  })
  await Promise.all(ids.map((id) => harness.call('POST', `/api/sessions/${id}/complete`)))
  return { idle, opening, answering }
}

/** The longest response time meanwhile, and afterwards as long as a request sent before its end is open. */
async function longestWait(harness: ServerHarness, work: () => Promise<void>): Promise<number> {
  const over = new AbortController()
  let longest = 0
  const reading = (async () => {
    while (!over.signal.aborted) {
      const asked = performance.now()
      await harness.call('GET', '/api/sessions?limit=20')
      longest = Math.max(longest, performance.now() - asked)
      await sleep(everyMs)
    }
  })()
  await work()
  over.abort()
  await reading
  return longest
}
