import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { makeDataDirectory } from '../lib/data-directory.ts'
import type { Line } from '../lib/line.ts'
import { startSignalbox } from '../lib/program.ts'
import { residentMb } from '../lib/resident.ts'
import { sampleOf } from '../lib/sample.ts'

const bar = 150
const settleMs = 5000

export const idleMemory: Line = {
  name: 'memory',
  measured: `Resident memory of the built server ${settleMs / 1000} s after it is ready, on an existing data directory,
with nobody connected; three servers, each in its own process.`,
  async run({ folder, quick }) {
    await using stack = new AsyncDisposableStack()
    const pids: number[] = []
    for (const name of ['a', 'b', 'c']) {
      const home = join(folder, name)
      await makeDataDirectory(home)
      pids.push(stack.use(await startSignalbox(home)).pid)
    }
    await sleep(quick ? 1000 : settleMs)
    const ours = sampleOf(pids.map(residentMb))
    const figure = { name: 'memory', title: 'Idle memory of the server', unit: 'MB', ours, peer: null, ratio: null }
    return [{ ...figure, bar: `≤ ${bar} MB`, holds: ours.high <= bar }]
  },
}
