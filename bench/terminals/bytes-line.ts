import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'
import { startChild, type Child } from '../lib/child.ts'
import { atLeast, forInformation, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { makeGate } from './gate.ts'
import type { Taken } from './peer.ts'
import { readLive, sha256 } from './reader.ts'
import { recordedText } from './recorded.ts'
import { startTerminal } from './start.ts'
import { linesOf, throughTerminal } from './text.ts'
import { hasTmux, pipePane } from './tmux.ts'

const megabytes = 12
const kinds = ['plain', 'coloured'] as const
type Kind = (typeof kinds)[number]

export const terminalBytes: Line = {
  name: 'terminals-bytes',
  measured: `${megabytes} MB of lines printed by \`cat\` in a terminal of 80 × 24, plain and coloured; megabytes per
second from the first byte to the last. Ours is the built server with its keeper: the time is that of a reader of
\`GET /api/terminals/{id}/live\`, who must get every byte, as must the recording (both are compared by their SHA-256).
It is masked, recorded, emulated and watched on the way. The peers, round by round: node-pty alone, which reads and
counts; \`@xterm/headless\` alone, which is given the same bytes in the pieces in which node-pty had them; the slower
of the two carries the bar. And \`tmux pipe-pane\` into a file.`,
  async run({ folder, quick }) {
    await using harness = await openServerHarness(folder)
    await using peer = await startChild(import.meta.resolve('./peer.ts'), null)
    const figures: Figure[] = []
    for (const kind of kinds) figures.push(...(await figuresOf({ folder, harness, peer, kind, quick })))
    return figures
  },
}

type Given = { folder: string; harness: ServerHarness; peer: Child; kind: Kind; quick: boolean }

async function figuresOf({ folder, harness, peer, kind, quick }: Given): Promise<Figure[]> {
  const text = linesOf(kind, (quick ? 8 : megabytes) * 1e6)
  const whole = throughTerminal(text)
  const [file, raw] = [join(folder, `${kind}.txt`), join(folder, `${kind}.raw`)]
  writeFileSync(file, text)
  writeFileSync(raw, whole)
  const command = `exec cat '${file}'`
  const rate = (ms: number) => whole.length / 1e6 / (ms / 1000)
  let chunks: number[] = []
  let round = 0
  const measured = await interleaved(quick ? 2 : 3, {
    async pty() {
      const gate = makeGate(folder)
      const taking = peer.call<Taken>('pty', { argv: gate.behind(command) })
      await gate.open()
      const taken = await taking
      if (taken.bytes !== whole.length) throw new Error(`node-pty gave ${taken.bytes} of ${whole.length} bytes`)
      ;({ chunks } = taken)
      return rate(taken.ms)
    },
    async emulator() {
      return rate((await peer.call<Taken>('emulator', { file: raw, chunks })).ms)
    },
    async ours() {
      return rate(await throughUs(harness, folder, command, whole))
    },
    async tmux() {
      round += 1
      return hasTmux() ? rate(await pipePane(folder, round, makeGate(folder), `cat '${file}'`, whole)) : Number.NaN
    },
  })
  const ours = sampleOf(measured.ours)
  const slower = measured.pty.map((value, at) => Math.min(value, measured.emulator[at] ?? value))
  const titled = (name: string, against: string, theirs: readonly number[]) => ({
    name: `terminals-bytes/${kind}/${name}`,
    title: `Terminal to recording and reader, ${kind}, against ${against}`,
    unit: 'MB/s',
    ours,
    peer: sampleOf(theirs),
    ratio: ratioOf(measured.ours, theirs),
  })
  const tmux = titled('tmux', 'tmux pipe-pane', measured.tmux)
  return [
    atLeast(0.7, titled('slower', 'the slower of node-pty and xterm', slower)),
    forInformation(titled('node-pty', 'node-pty', measured.pty)),
    hasTmux() ? atLeast(1, tmux) : forInformation(tmux),
  ]
}

/** Milliseconds from the first to the last byte at the reader; throws if one is missing there or in the recording. */
async function throughUs(harness: ServerHarness, folder: string, command: string, whole: Buffer): Promise<number> {
  const gate = makeGate(folder)
  const sessionId = await startTerminal(harness, gate.behind(command))
  const reading = readLive(harness, sessionId)
  await gate.open()
  const { bytes, sha256: read, firstAt, lastAt } = await reading
  const expected = sha256(whole)
  if (read !== expected) throw new Error(`the reader got ${bytes} bytes of ${whole.length}, or others`)
  const recorded = Buffer.from(recordedText(harness.home, sessionId))
  if (sha256(recorded) !== expected)
    throw new Error(`${recorded.length} bytes are recorded of ${whole.length}, or others`)
  return lastAt - firstAt
}
