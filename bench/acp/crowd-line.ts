import { sandboxWorks } from '../../test/support/agents/processes.ts'
import { startChild } from '../lib/child.ts'
import { forInformation, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import type { BareCrowd } from './bare.ts'
import { endCrowd, startCrowd } from './crowd.ts'
import { openServerHarness } from './harness.ts'
import { launchOf } from './launch-of.ts'

const agents = 50
const prompt = '/say Good morning.'

export const crowd: Line = {
  name: 'crowd',
  measured: `${agents} sessions of the practice agent, all started at the same moment, with the default confinement:
milliseconds until the last of them has finished a short turn, which is stored. The peer starts the same number of the
same command lines at once with the SDK alone, in one process, until the last prompt is answered. Ending them between
rounds is not timed.`,
  async run({ folder, quick }) {
    const isolation = sandboxWorks() ? 'sandbox' : 'none'
    await using harness = await openServerHarness(folder)
    await using bare = await startChild(import.meta.resolve('./bare.ts'), null)
    const given: BareCrowd = { command: await launchOf(harness, 'practice', isolation), prompt, agents }
    const { ours, peer } = await interleaved(quick ? 2 : 5, {
      peer: () => bare.call<number>('crowd', given),
      async ours() {
        const began = performance.now()
        const ids = await startCrowd(harness, agents, isolation, prompt)
        const took = performance.now() - began
        await endCrowd(harness, ids)
        return took
      },
    })
    const title = `${agents} sessions at once, isolation ${isolation}`
    const ratio = ratioOf(ours, peer)
    return [forInformation({ name: 'crowd', title, unit: 'ms', ours: sampleOf(ours), peer: sampleOf(peer), ratio })]
  },
}
