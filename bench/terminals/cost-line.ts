import { forInformation, type Line } from '../lib/line.ts'
import { interleaved, sampleOf } from '../lib/sample.ts'
import { startChild } from '../lib/child.ts'
import type { Cost } from './cost-child.ts'

const bar = 5

export const terminalCost: Line = {
  name: 'terminals-cost',
  measured: `The cost of watching a busy terminal: 10,000 lines per second go through one terminal's emulator for some
seconds, with and without our watch, in one process. The figure is the difference in CPU time, in percent of a core.
The watch observes the real program in that terminal, including its kernel probes.`,
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
