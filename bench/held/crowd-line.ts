import { setTimeout as sleep } from 'node:timers/promises'
import { collectGarbage } from '../lib/collect-garbage.ts'
import { freePort } from '../lib/free-port.ts'
import { atMost, forInformation, type Line } from '../lib/line.ts'
import { residentMb } from '../lib/resident.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { openHeldCallsHarness } from './harness.ts'

const agents = 500
const settleMs = 1000

export const heldCrowd: Line = {
  name: 'held-crowd',
  measured: `${agents} agents, each with its own connection and session, call \`forward_prompt\` at the same moment.
Timed until the last of them is told that its call is held, with every ask on the disk. Then the server collects its
garbage, and its resident memory is read. Then a person answers all of them over 20 keep-alive connections: from the
first answer until the last agent has its result. The peer is ${agents} calls at once of the echo tool of the bare
SDK, each on its own connection, until the last has its result; it stores nothing. All agents are in one process,
which contributes to all of these times.`,
  async run({ folder, quick }) {
    const count = quick ? 100 : agents
    const inspector = await freePort()
    const nodeOptions = `--inspect=127.0.0.1:${inspector}`
    await using harness = await openHeldCallsHarness(folder, { agents: count, nodeOptions })
    const { agents: child, pid } = harness
    const memory: number[] = []
    const figures = await interleaved(quick ? 2 : 5, {
      peer: () => child.call<number>('echoes'),
      held: () => child.call<number>('holdAll'),
      async answered() {
        await sleep(settleMs)
        await collectGarbage(inspector)
        await sleep(settleMs)
        memory.push(residentMb(pid))
        return child.call<number>('answerAll')
      },
    })
    const figure = (name: 'held' | 'answered', title: string) => ({
      name: `held-crowd/${name}`,
      title: `${count} calls at once, ${title}`,
      unit: 'ms',
      ours: sampleOf(figures[name]),
      peer: sampleOf(figures.peer),
      ratio: ratioOf(figures[name], figures.peer),
    })
    return [
      atMost(1.5, figure('held', 'until all are held')),
      forInformation(figure('answered', 'until all held are answered')),
      forInformation({
        name: 'held-crowd/memory',
        title: `Memory of the server with ${count} held calls`,
        unit: 'MB',
        ours: sampleOf(memory.slice(1)),
      }),
    ]
  },
}
