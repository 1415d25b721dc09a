import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { ratioOf, sampleOf } from '../lib/sample.ts'
import { openAnswering, posted, pressed } from './answers.ts'
import { openDashboardHarness } from './harness.ts'

const bar = 200
const answers = 60

type Round = { click: number[]; key: number[]; peer: number[] }

export const dashboardAnswer: Line = {
  name: 'dashboard-answer',
  measured: `A person at the inbox in a real Chromium (with 12 other asks) opens a new ask and presses Approve,
alternately with the mouse and with the key \`a\`; an agent waits in \`GET /api/asks/{id}?wait=60\`. Timed from the
event in the page, as the browser stamps it, until the agent has the complete response: page, request, durable commit
(\`synchronous = full\`) and the way back. Both clocks are compared with the system clock. Browser, server and agent
share the cores. The peer is the same held response with a Node client that sends \`POST /api/asks/{id}/answer\`
itself: the difference is the page's. ${answers} of each per round, one after another; the highest p95 of the rounds
is judged.`,
  async run({ folder, quick }) {
    await using dashboard = await openDashboardHarness(folder)
    await using opened = await openAnswering(dashboard)
    const round = async (count: number): Promise<Round> => {
      const taken: Round = { click: [], key: [], peer: [] }
      for (let index = 0; index < count; index += 1) {
        const by = index % 2 === 0 ? 'click' : 'key'
        taken[by].push(await pressed(dashboard, opened.page, opened.ahead, by))
        taken.peer.push(await posted(dashboard))
      }
      return taken
    }
    await round(5)
    const rounds: Round[] = []
    for (let index = 0; index < (quick ? 1 : 3); index += 1) rounds.push(await round(quick ? 20 : answers))
    const p95 = figureOf('p95', 0.95, rounds)
    return [figureOf('p50', 0.5, rounds), { ...p95, bar: `< ${bar} ms`, holds: p95.ours.high < bar } satisfies Figure]
  },
}

function figureOf(which: string, part: number, rounds: readonly Round[]): Figure {
  const ours = rounds.map(({ click, key }) => at(part, [...click, ...key]))
  const peer = rounds.map((round) => at(part, round.peer))
  return forInformation({
    name: `dashboard-answer/${which}`,
    title: `Approve pressed in the page → the agent has the answer, ${which}`,
    unit: 'ms',
    ours: sampleOf(ours),
    peer: sampleOf(peer),
    ratio: ratioOf(ours, peer),
  })
}

const at = (part: number, values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN
