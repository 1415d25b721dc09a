import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'
import { collectGarbage } from '../lib/collect-garbage.ts'
import { freePort } from '../lib/free-port.ts'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { ourProcesses, residentOf } from '../terminals/processes.ts'
import { startTerminal } from '../terminals/start.ts'
import { answering, logging, reading, searching, type Deeds } from './people.ts'

const terminals = 10
/** What one terminal does in a working day of eight hours. */
const day = { megabytes: 20, prompts: 100, visits: 100, searches: 100, rotations: 24 }
const bar = 20
const usualMinutes = 60
const dayMinutes = 20
const sampleMs = 5000
const chatter = fileURLToPath(import.meta.resolve('./chatter.ts'))

type Sampled = { atMs: number; server: number; keeper: number }

export const soak: Line = {
  name: 'soak',
  measured: `Days of eight hours, each in ${dayMinutes} minutes, for ${usualMinutes} minutes (\`--minutes\`):
${terminals} terminals, each printing ${day.megabytes} MB and asking ${day.prompts} times a day, every prompt
answered, each with a reader that disconnects and returns ${day.visits} times; ${day.searches} searches over all of
them; a followed log that is rotated ${day.rotations} times; recordings whose oldest part is removed. Memory settles
during the first day. After that, resident memory of the built server and its keeper is sampled every
${sampleMs / 1000} s, and the slope of a line fitted to it is shown as megabytes per day of such use. "Held" is the
heap and external memory of the server's threads after garbage collection: the growth since the first day, also per
day. With only one day or less, its second half is used.`,
  async run({ folder, quick, minutes }) {
    const totalMs = (minutes ?? (quick ? 1 : usualMinutes)) * 60_000
    const dayMs = Math.min(dayMinutes * 60_000, totalMs)
    const settledAt = totalMs > dayMs ? dayMs : totalMs / 2
    const port = await freePort()
    const place = join(folder, 'server')
    mkdirSync(place)
    const settings = '[terminal]\nrecording_mb = 16\nask_after_seconds = 3600\n'
    await using harness = await openServerHarness(place, settings, `--inspect=127.0.0.1:${port}`)
    const deeds: Deeds = { answers: 0, reconnects: 0, searches: 0, rotations: 0, bytesRead: 0 }
    const over = new AbortController()
    using stack = new DisposableStack()
    stack.defer(() => over.abort())
    const busy = await begin(harness, folder, dayMs, deeds, over.signal, stack)
    const failed = Promise.withResolvers<never>()
    for (const work of busy) work.catch(failed.reject)

    const started = Date.now()
    const until = async (ms: number) => Promise.race([sleep(started + ms - Date.now()), failed.promise])
    const collectedAt = settledAt / 2
    await until(collectedAt)
    const heldBefore = await collectGarbage(port)
    // A heap that was just collected grows back first, so it is sampled without a forced collection.
    await until(settledAt)
    const samples: Sampled[] = []
    while (Date.now() - started < totalMs) {
      await Promise.race([sleep(sampleMs), failed.promise])
      const [server = 0, keeper = 0] = ourProcesses(harness).map((pid) => residentOf([pid]))
      samples.push({ atMs: Date.now() - started, server, keeper })
    }
    const heldMore = (await collectGarbage(port)) - heldBefore
    over.abort()
    await Promise.allSettled(busy)
    process.stderr.write(`${JSON.stringify({ ...deeds, heldBefore, first: samples[0], last: samples.at(-1) })}\n`)
    const slope = (of: (sample: Sampled) => number) => slopeOf(samples.map((one) => [one.atMs / dayMs, of(one)]))
    return [
      figure(
        'both',
        'server and keeper',
        slope(({ server, keeper }) => server + keeper),
        bar,
      ),
      figure(
        'server',
        'server alone',
        slope(({ server }) => server),
        null,
      ),
      figure(
        'keeper',
        'keeper alone',
        slope(({ keeper }) => keeper),
        null,
      ),
      figure('held', 'held by the server', (heldMore * dayMs) / (totalMs - collectedAt), bar),
    ]
  },
}

/** Starts everything; returns what keeps running until disposed. */
async function begin(
  harness: ServerHarness,
  folder: string,
  dayMs: number,
  deeds: Deeds,
  signal: AbortSignal,
  stack: DisposableStack,
): Promise<Promise<void>[]> {
  const seconds = dayMs / 1000
  const rate = String(Math.round((day.megabytes * 1e6) / seconds))
  const askEvery = String(seconds / day.prompts)
  const log = join(folder, 'service.log')
  writeFileSync(log, '')
  const ids: string[] = []
  for (let n = 0; n < terminals; n += 1) {
    const id = await startTerminal(harness, [process.execPath, chatter, rate, askEvery])
    stack.use(await answering(harness, id, deeds))
    ids.push(id)
  }
  await harness.call('POST', '/api/terminals', { sessionType: 'file', logFile: log })
  return [
    ...ids.map((id) => reading(harness, id, dayMs / day.visits, deeds, signal)),
    searching(harness, dayMs / day.searches, deeds, signal),
    logging(log, dayMs / day.rotations, deeds, signal),
  ]
}

/** Slope of the least-squares line. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

function figure(name: string, whose: string, value: number, most: number | null): Figure {
  const title = `Growth in a day of ${terminals} terminals, ${whose}`
  const given = forInformation({ name: `soak/${name}`, title, unit: 'MB', ours: sampleOf([value]) })
  return most === null ? given : { ...given, bar: `≤ ${most} MB`, holds: value <= most }
}
