import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openServerHarness } from '../acp/harness.ts'
import { forInformation, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { makeGate } from './gate.ts'
import { ourProcesses, residentOf } from './processes.ts'
import { readLive, sha256 } from './reader.ts'
import { startTerminal } from './start.ts'
import { linesOf, throughTerminal } from './text.ts'

const megabytes = 50
const slow = 100_000
/** After this many seconds the slow one reads on at full speed: all of it at its own would take nine minutes. */
const patienceMs = 5000

export const terminalSlow: Line = {
  name: 'terminals-slow',
  measured: `A program prints ${megabytes} MB; one reader of \`GET /api/terminals/{id}/live\` reads ${slow / 1000} KB
per second for ${patienceMs / 1000} s and the rest at full speed; another reads at full speed throughout. Both must
get every byte. "Slowed" is how much longer the fast one takes than a single reader. The last figure is the peak
memory of server and keeper while the slow one lags, minus the memory before.`,
  async run({ folder, quick }) {
    await using harness = await openServerHarness(folder)
    const text = linesOf('plain', (quick ? 15 : megabytes) * 1e6)
    const whole = throughTerminal(text)
    const expected = sha256(whole)
    const file = join(folder, 'lines.txt')
    writeFileSync(file, text)
    const run = async (beside: boolean) => {
      const gate = makeGate(folder)
      const id = await startTerminal(harness, gate.behind(`exec cat '${file}'`))
      const slowed = Date.now() + patienceMs
      const readers = [
        readLive(harness, id),
        ...(beside ? [readLive(harness, id, () => (Date.now() < slowed ? slow : Infinity))] : []),
      ]
      await gate.open()
      for (const read of await Promise.all(readers))
        if (read.sha256 !== expected) throw new Error(`a reader got ${read.bytes} of ${whole.length} bytes, or others`)
      const first = await readers[0]
      return first ? first.lastAt - first.firstAt : Number.NaN
    }
    await run(false)
    const before = residentOf(ourProcesses(harness))
    let highest = before
    const looking = setInterval(() => (highest = Math.max(highest, residentOf(ourProcesses(harness)))), 100)
    const [alone, beside, again] = [await run(false), await run(true), await run(false)]
    clearInterval(looking)
    const ratio = beside / ((alone + again) / 2)
    const lost = { name: 'terminals-slow/lost', title: 'Bytes a slow reader loses', unit: 'bytes', ours: sampleOf([0]) }
    const slowed = { name: 'terminals-slow/slowed', title: 'Time of a fast reader next to a slow one', unit: 'ms' }
    const memory = { name: 'terminals-slow/memory', title: 'Additional memory with a slow reader', unit: 'MB' }
    return [
      { ...forInformation(lost), bar: '0 bytes', holds: true },
      {
        ...forInformation({
          ...slowed,
          ours: sampleOf([beside]),
          peer: sampleOf([alone, again]),
          ratio: sampleOf([ratio]),
        }),
        bar: 'ratio ≤ 1.3',
        holds: ratio <= 1.3,
      },
      {
        ...forInformation({ ...memory, ours: sampleOf([highest - before]) }),
        bar: '≤ 100 MB',
        holds: highest - before <= 100,
      },
    ]
  },
}
