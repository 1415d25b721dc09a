import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'
import { startChild, type Child } from '../lib/child.ts'
import { forInformation, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { makeGate, type Gate } from './gate.ts'
import { cpuMs, ourProcesses } from './processes.ts'
import { recordedText } from './recorded.ts'
import { startTerminal } from './start.ts'

const terminals = 10
const perSecond = 10_000
const printer = fileURLToPath(import.meta.resolve('./printer.ts'))

export const terminalCrowd: Line = {
  name: 'terminals-crowd',
  measured: `${terminals} terminals, each with a program that prints ${perSecond.toLocaleString('en')} numbered lines
per second at a steady rate, for 10 s, and a reader of \`GET /api/terminals/{id}/live\`. Every line must reach its
recording and its reader, once and in order: the first figure is the number of bytes that did not. Then the time of
the slowest program, compared with the same programs in node-pty alone, which only reads and counts; and the CPU time
of server and keeper together.`,
  async run({ folder, quick }) {
    await using harness = await openServerHarness(folder)
    await using peer = await startChild(import.meta.resolve('./peer.ts'), null)
    const seconds = quick ? 3 : 10
    const bare = await bareFlood(peer, folder, seconds)
    const { lost, took, cores } = await flood(harness, folder, seconds)
    const title = `${terminals} terminals × ${perSecond.toLocaleString('en')} lines/s`
    const one = (name: string, more: string, unit: string, value: number) =>
      forInformation({ name: `terminals-crowd/${name}`, title: `${title}, ${more}`, unit, ours: sampleOf([value]) })
    const program = { ...one('program', 'time of the program', 's', took), peer: sampleOf([bare]) }
    return [
      { ...one('lost', 'bytes lost', 'bytes', lost), bar: '0 bytes', holds: lost === 0 },
      { ...program, ratio: sampleOf([took / bare]), bar: 'ratio ≤ 1.1', holds: took / bare <= 1.1 },
      one('cpu', 'server and keeper', 'cores', cores),
    ]
  },
}

type Run = { name: string; gate: Gate; report: string; argv: string[] }

/** They wait until all have started: starting is not measured. */
const runsOf = (folder: string, seconds: number): Run[] =>
  Array.from({ length: terminals }, (_, index) => {
    const gate = makeGate(folder)
    const name = `t${index}`
    const report = `${gate.path}.report`
    const argv = [process.execPath, printer, name, String(perSecond), String(seconds), report, gate.path]
    return { name, gate, report, argv }
  })

const longest = (runs: readonly Run[]): number =>
  Math.max(...runs.map(({ report }) => Number(readFileSync(report, 'utf8'))))

async function bareFlood(peer: Child, folder: string, seconds: number): Promise<number> {
  const runs = runsOf(folder, seconds)
  const done = peer.call(
    'crowd',
    runs.map(({ argv }) => argv),
  )
  await Promise.all(runs.map(({ gate }) => gate.open()))
  await done
  return longest(runs)
}

async function flood(harness: ServerHarness, folder: string, seconds: number) {
  const runs = runsOf(folder, seconds)
  const ids = await Promise.all(runs.map(({ argv }) => startTerminal(harness, argv)))
  const reading = ids.map((id) => harness.open(`/api/terminals/${id}/live`))
  const pids = ourProcesses(harness)
  await Promise.all(runs.map(({ gate }) => gate.open()))
  const [before, started] = [cpuMs(pids), performance.now()]
  const heard = await Promise.all(reading.map(async (read) => Buffer.concat(await (await read).toArray()).toString()))
  const cores = (cpuMs(pids) - before) / (performance.now() - started)
  const lost = runs.map(({ name }, index) => {
    const expected = expectedLines(name, perSecond * seconds)
    return missing(heard[index] ?? '', expected) + missing(recordedText(harness.home, ids[index] ?? ''), expected)
  })
  return { lost: lost.reduce((sum, bytes) => sum + bytes, 0), took: longest(runs), cores }
}

function expectedLines(name: string, count: number): string {
  const words = 'compiled src/edges/terminal/worker/main.ts in 12 ms, 0 warnings'
  return Array.from({ length: count }, (_, line) => `${name} ${line} ${words}\r\n`).join('')
}

/** Bytes from the first difference on. */
function missing(text: string, expected: string): number {
  if (text === expected) return 0
  let same = 0
  while (same < text.length && text[same] === expected[same]) same += 1
  return Math.max(1, expected.length - same)
}
