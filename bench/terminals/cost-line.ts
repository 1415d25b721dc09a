import { forInformation, type Line } from '../lib/line.ts'
import { interleaved, sampleOf } from '../lib/sample.ts'
import { startChild } from '../lib/child.ts'
import type { Cost } from './cost-child.ts'

const bar = 5

export const terminalCost: Line = {
  name: 'terminals-cost',
  measured: `What looking at a busy terminal costs: 10,000 lines a second go through the emulator of one terminal for some seconds, with
the watch of the product beside it and without, in one process; what is told is the difference of their processor time,
in percent of a core. The watch sees the program that really runs in that terminal (its probes of the kernel included).`,
  async run({ quick }) {
    await using child = await startChild(import.meta.resolve('./cost-child.ts'), null)
    const seconds = quick ? 1 : 2
    const round = (watched: boolean) => async () => {
      const { cpuMs, ms } = await child.call<Cost>('flood', { watched, seconds })
      return (cpuMs / ms) * 100
    }
    const shares = await interleaved(quick ? 2 : 3, { without: round(false), watched: round(true) })
    const ours = sampleOf(shares.watched.map((share, at) => Math.max(0, share - (shares.without[at] ?? Number.NaN))))
    const title = 'Cost of detection on a terminal with 10,000 lines/s'
    const figure = forInformation({ name: 'terminals-cost', title, unit: '% of a core', ours })
    return [{ ...figure, bar: `≤ ${bar} %`, holds: ours.median <= bar }]
  },
}
