import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../lib/free-port.ts'
import type { Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { collectGarbage } from '../lib/collect-garbage.ts'
import { endCrowd, startCrowd } from './crowd.ts'
import { openServerHarness, type ServerHarness } from './harness.ts'

const bar = 200
const few = 10
const sessions = 50
const settleMs = 3000

export const sessionMemory: Line = {
  name: 'session-memory',
  measured: `Resident memory of the built server and its keeper together, per session: the growth after ${sessions}
more sessions of the practice agent have finished a turn and wait for the next one. Before the first measurement
${sessions} sessions were started and ended and ${few} stay, so that one-time allocations are not counted. The agents
themselves are not counted. The server collects its garbage before it is measured, ${settleMs / 1000} s after the last
turn. Each round has its own server.`,
  async run({ folder, quick }) {
    const rounds = Array.from({ length: quick ? 1 : 3 }, (_, round) => join(folder, String(round)))
    const grown: number[] = []
    for (const place of rounds) {
      mkdirSync(place)
      const inspector = await freePort()
      await using harness = await openServerHarness(place, '', `--inspect=127.0.0.1:${inspector}`)
      grown.push(await growth(harness, inspector))
    }
    const ours = sampleOf(grown)
    const title = 'Memory a session, beside the agent'
    const figure = { name: 'session-memory', title, unit: 'KB', ours, peer: null, ratio: null }
    return [{ ...figure, bar: `≤ ${bar} KB`, holds: ours.median <= bar }]
  },
}

/** KB per session. */
async function growth(harness: ServerHarness, inspector: number): Promise<number> {
  await endCrowd(harness, await stay(harness, sessions))
  await stay(harness, few)
  const before = await resident(harness, inspector)
  await stay(harness, sessions)
  return ((await resident(harness, inspector)) - before) / sessions
}

/** A few at a time: a crowd makes garbage that no session owns. */
async function stay(harness: ServerHarness, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push(...(await startCrowd(harness, 5, 'none', '/say Good morning.')))
  return ids
}

async function resident(harness: ServerHarness, inspector: number): Promise<number> {
  await sleep(settleMs)
  await collectGarbage(inspector)
  await sleep(settleMs)
  const log = readFileSync(join(harness.home, 'run', 'keeper.log'), 'utf8')
  const keeper = /"keeper":(\d+)/.exec(log)?.[1]
  return [harness.pid, keeper].reduce<number>((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  }, 0)
}
