import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { atMost, type Figure, type Line } from '../lib/line.ts'
import { ratioOf, sampleOf } from '../lib/sample.ts'
import type { Round } from './agents.ts'
import { openHeldCallsHarness } from './harness.ts'

const calls = 400

/** The client's default revision, and the newest, in which every call is independent. */
const revisions = [
  ['2025-11-25', null],
  ['2026-07-28', '2026-07-28'],
] as const

export const heldCall: Line = {
  name: 'held',
  measured: `An agent's \`forward_prompt\` with a progress token, held by the built server; a person answers it over
REST on another keep-alive connection. Timed from the moment the answer is sent until the agent's call has its result.
The answer is on the disk before anyone gets it (\`synchronous = full\`). The peer is an echo tool of the bare SDK
behind node:http, in a separate process: one call, from the moment it is made until its result is there. Both are one
round trip, and the same official client in the same process reads the result. Ours starts with a plain REST request,
the peer's with a call by that client, which costs the client more; ours includes a durable commit. Calls alternate,
${calls} of each per round; a round's p50 and p99 are compared with the peer's of the same round.`,
  async run({ folder, quick }) {
    const figures: Figure[] = []
    for (const [name, revision] of revisions) {
      const place = join(folder, name)
      mkdirSync(place)
      await using harness = await openHeldCallsHarness(place, { agents: 1, revision })
      const rounds: Round[] = []
      await harness.agents.call('round', calls)
      for (let round = 0; round < (quick ? 2 : 7); round += 1)
        rounds.push(await harness.agents.call<Round>('round', quick ? 100 : calls))
      figures.push(figureOf(2, 'p50', name, rounds), figureOf(3, 'p99', name, rounds))
    }
    return figures
  },
}

function figureOf(bar: number, which: 'p50' | 'p99', revision: string, rounds: readonly Round[]): Figure {
  const ours = rounds.map((round) => round.ours[which])
  const peer = rounds.map((round) => round.peer[which])
  return atMost(bar, {
    name: `held/${revision}/${which}`,
    title: `Held call → answer → result, MCP ${revision}, ${which}`,
    unit: 'ms',
    ours: sampleOf(ours),
    peer: sampleOf(peer),
    ratio: ratioOf(ours, peer),
  })
}
