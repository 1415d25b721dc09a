import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from './kill-harness-journal.ts'
import { createLoopAgent, type LoopAgent } from './loop-agent.ts'
import { checkLoops } from './loop-check.ts'
import type { Way } from './loop-client.ts'
import { differs, treeOf } from './loop-files.ts'
import { createKiller, describeMoment, momentsOf, nobodyConnects, type Moment } from './loop-killer.ts'
import { createLoopOperator } from './loop-operator.ts'
import { openLoopHarness } from './loop-harness.ts'
import { until } from './until.ts'

export type LoopTrial = { env?: Readonly<Record<string, string>>; ways: readonly Way[]; moments: number; seed: number }

export type LoopReport = {
  /** Agents at work when something was killed: each is a separate place in the loop. */
  points: number
  kills: number
  rounds: number
  /** How often an agent was in each phase when something was killed. */
  phases: ReadonlyMap<string, number>
  tally: ReadonlyMap<string, number>
  problems: string[]
}

/** Agents and an operator at work, while server and clients are killed repeatedly. */
export async function runLoops({ env = {}, ways, moments: count, seed }: LoopTrial): Promise<LoopReport> {
  await using harness = await openLoopHarness({ places: ways.length, env })
  const { server } = harness
  const random = seededRandom(seed)

  // The same for the same title, whoever asks.
  const verdictOf = (title: string) => (Number(title.split(' ').at(-1)) % 5 === 3 ? 'rejected' : 'approved')
  const agents: LoopAgent[] = []
  const killer = createKiller(server, agents)
  const ofTitle = (title: string) => agents.find(({ name }) => name === title.split(' ')[0])
  for (const [n, way] of ways.entries()) {
    const spot = harness.spot(n)
    agents.push(createLoopAgent({ server, name: spot.id, way, spot, verdictOf, entered: killer.entered }))
  }
  const operator = createLoopOperator({
    server,
    verdictOf,
    async entered(title, phase) {
      const agent = ofTitle(title)
      if (!agent) return
      // It may be further than the operator was told.
      if (agent.phase !== 'accepting' && agent.phase !== 'resting') agent.phase = phase
      killer.entered(agent, phase)
      if (phase === 'held') await pause(random() * 40)
    },
  })

  let over = false
  const working = Promise.all(agents.map((agent) => agent.run(() => over)))
  const answering = operator.run(() => over && agents.every(({ phase }) => phase === 'resting'))
  const problems: string[] = []
  const report = { points: 0, kills: 0, phases: new Map<string, number>() }
  const trouble = () => [
    ...problems,
    ...operator.problems,
    ...agents.flatMap((agent) => agent.problems),
    ...server.errors,
  ]

  function note(moment: Moment, hit: readonly LoopAgent[]): void {
    report.kills += 1
    report.points += hit.length
    for (const { phase } of hit) report.phases.set(phase, (report.phases.get(phase) ?? 0) + 1)
    if (trouble().length > 0) problems.push(`by then: ${describeMoment(moment)}`)
  }

  /** All made progress since the server was last started. */
  async function underWay(): Promise<void> {
    const everybody = () => agents.every(({ moved }) => moved) || trouble().length > 0
    await until(everybody, { seconds: 30 }).catch(() => {
      const stuck = agents.filter(({ moved }) => !moved)
      problems.push(...stuck.map(({ name, way, phase }) => `${name} (${way}) hangs: ${phase}`))
    })
  }

  async function killAt(moment: Moment): Promise<void> {
    await underWay()
    if (trouble().length > 0) return
    const agent = await Promise.race([killer.moment(moment), pause(10_000, null)])
    await nobodyConnects(agents)
    if (moment.what === 'client') {
      if (agent === null) return
      note(moment, [agent])
      return agent.killClient()
    }
    note(
      moment,
      agents.filter(({ moved }) => moved),
    )
    server.door.shut = true
    await server.kill()
    for (const other of agents) other.moved = false
    if (moment.at === 'starting') {
      await server.startAndKill(moment.afterMs)
      report.kills += 1
      report.points += 1
      report.phases.set('starting', (report.phases.get('starting') ?? 0) + 1)
    }
    await server.start()
    // Before any client is admitted: each change is complete or absent.
    for (const { name, way, root, version } of agents) {
      const wrong = [version, version + 1].map((one) => differs(root, treeOf(name, one)))
      if (way !== 'stdio' && wrong.every((one) => one !== null))
        problems.push(`${name} is half written after ${describeMoment(moment)}: ${String(wrong[0])}`)
    }
    server.door.shut = false
  }

  for (const moment of momentsOf(count, random)) {
    if (trouble().length > 0) break
    await killAt(moment)
  }
  over = true
  await working
  await answering
  const found = [...trouble(), ...(await checkLoops({ server, agents, operator }))]
  const tally = new Map<string, number>()
  for (const agent of agents) for (const [what, times] of agent.tally) tally.set(what, (tally.get(what) ?? 0) + times)
  return { ...report, rounds: agents.reduce((sum, { rounds }) => sum + rounds, 0), tally, problems: found }
}
