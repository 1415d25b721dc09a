import { startChild, type Child } from '../lib/child.ts'
import { atLeast, forInformation, type Figure, type Line, type LineContext } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import type { OursRound, OursSettings, Timed } from './ours.ts'
import type { PeerRound } from './peer.ts'

const sessions = 20
const warm = 40

export const commands: Line = {
  name: 'commands',
  measured: `Durable commands per second on SQLite, one transaction each: 6 messages, an ask, its answer, a pause and a
resume in every 10, over ${sessions} sessions. Ours calls \`app.dispatch\` in a separate process; the peer, in
another, runs exactly the statements that \`app.dispatch\` was recorded to run for these commands, in raw
better-sqlite3 with the same pragmas (compared at run time), begin and commit included. Each round starts from a fresh
copy of the same database, and both must end with the same number of events. \`synchronous = full\` is the default and
has the limit; \`normal\` does not wait for the disk, so it shows the cost of the code alone. "With the log follower"
is the core as the server runs it, with its durable follower.`,
  async run(context) {
    const { folder, quick } = context
    const given: OursSettings = { folder, sessions, units: quick ? 60 : 240 }
    await using ours = await startChild(import.meta.resolve('./ours.ts'), given)
    const recording = await ours.call<string>('record')
    await using peer = await startChild(import.meta.resolve('./peer.ts'), { folder, recording })
    return [
      ...(await measure('full', quick ? 200 : 400, { ours, peer, context })),
      ...(await measure('normal', quick ? 400 : 2000, { ours, peer, context })),
    ]
  },
}

type Sides = { ours: Child; peer: Child; context: LineContext }

async function measure(
  synchronous: 'full' | 'normal',
  count: number,
  { ours, peer, context }: Sides,
): Promise<Figure[]> {
  const seen = new Set<string>()
  const timed = async (side: Child, input: OursRound | PeerRound) => {
    const { perSecond, pragmas, events } = await side.call<Timed>('round', input)
    seen.add(`${pragmas} events=${events}`)
    if (seen.size > 1) throw new Error(`not comparable: ${[...seen].join(' and ')}`)
    return perSecond
  }
  const by = (callers: number, follower: boolean) => () => timed(ours, { synchronous, callers, follower, count, warm })
  const figures = await interleaved(context.quick ? 2 : 5, {
    peer: () => timed(peer, { synchronous, count, warm }),
    sequential: by(1, false),
    concurrent: by(20, false),
    followed: by(1, true),
  })
  const titles = {
    sequential: 'one caller',
    concurrent: '20 callers',
    followed: 'one caller, with the log follower',
  }
  return (['sequential', 'concurrent', 'followed'] as const).map((name) => {
    const figure = {
      name: `commands/${synchronous}/${name}`,
      title: `Durable commands, synchronous = ${synchronous}, ${titles[name]}`,
      unit: 'commands/s',
      ours: sampleOf(figures[name]),
      peer: sampleOf(figures.peer),
      ratio: ratioOf(figures[name], figures.peer),
    }
    return synchronous === 'full' ? atLeast(0.5, figure) : forInformation(figure)
  })
}
