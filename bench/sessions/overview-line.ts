import { join } from 'node:path'
import { startChild } from '../lib/child.ts'
import { atMost, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { fill } from './data.ts'
import { connections, ours, perSecond, type Server } from './line.ts'

const path = '/api/overview?from=2026-01-01&to=2026-01-31&by=repo'

export const overviewGrowth: Line = {
  name: 'overview',
  measured: `\`GET /api/overview\` of a month by repo, with 100,000 sessions of 70 days and with 1,000 of one, over ${connections}
keep-alive connections from another process: time per request.`,
  async run({ folder, quick }) {
    const [large, small] = [join(folder, 'large'), join(folder, 'small')]
    await fill(large, 100_000)
    await fill(small, 1000)
    await using stack = new AsyncDisposableStack()
    const few = await ours(small, stack)
    const many = await ours(large, stack)
    const load = stack.use(await startChild(import.meta.resolve('./load.ts'), null))
    const ask = (server: Server) => () => perSecond(load, server, quick ? 500 : 2000, path)
    const figures = await interleaved(quick ? 3 : 7, { many: ask(many), few: ask(few) })
    const times = (rates: readonly number[]) => rates.map((rate) => (1000 * connections) / rate)
    const [timeMany, timeFew] = [times(figures.many), times(figures.few)]
    return [
      atMost(1.3, {
        name: 'overview/growth',
        title: 'GET /api/overview of a month, 100,000 sessions compared with 1,000',
        unit: 'ms',
        ours: sampleOf(timeMany),
        peer: sampleOf(timeFew),
        ratio: ratioOf(timeMany, timeFew),
      }),
    ]
  },
}
