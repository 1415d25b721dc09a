import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openServerHarness } from '../acp/harness.ts'
import { atMost, forInformation, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { openBeside, type Beside, type Opened } from './beside.ts'
import { linesOf } from './text.ts'

type Name = Beside['name']
type Open = (side: Beside, command: string) => Opened

const megabytes = 12
/** Every key comes back at once, as from a line editor. */
const echoing = "stty raw -echo; printf 'ready.'; exec cat"
const flooding = "exec yes 'a line that is printed for as long as the other is typed into'"

export const terminalRun: Line = {
  name: 'terminals-run',
  measured: `\`signalbox run\` beside tmux (attached, without its status line), \`script\` and the bare program, in turns, each in a
terminal of node-pty with its server running. "Start": from the call until the program's first byte is there. "Echo": from a
key until a program in raw mode has printed it, the median of 200 keys, one after another. "Throughput": ${megabytes} MB
from \`cat\`, from the key that starts it to its last line. "Fairness": the same echo while a second terminal of the same server prints
without end; the peer is tmux, whose second window does the same.`,
  async run({ folder, quick }) {
    await using harness = await openServerHarness(folder)
    using beside = openBeside(harness, folder)
    const file = join(folder, 'lines.txt')
    writeFileSync(file, linesOf('plain', (quick ? 4 : megabytes) * 1e6))
    const open: Open = beside.open
    const keys = quick ? 40 : 200
    const inTurns = (rounds: number, of: (side: Beside) => Promise<number>) =>
      interleaved<Name>(rounds, Object.fromEntries(beside.sides.map((side) => [side.name, () => of(side)])) as Sides)
    const start = await inTurns(quick ? 5 : 20, (side) => startMs(open, side))
    const echo = await inTurns(quick ? 2 : 5, (side) => echoMs(open, side, keys))
    const whole = await inTurns(quick ? 1 : 3, (side) => throughMs(open, side, file))
    const flooded = await inTurns(quick ? 2 : 3, (side) => echoBesideFlood(open, side, keys))
    return [
      ...figuresOf('start', 'Start of a program in a terminal', start, { script: 3 }),
      ...figuresOf('echo', 'A key until it is echoed', echo, { tmux: 2 }),
      ...figuresOf('throughput', `${megabytes} MB through a terminal`, whole, {}),
      ...figuresOf('fairness', 'A key until it is echoed, beside a flood', flooded, { tmux: 2 }),
    ]
  },
}

type Sides = Record<Name, () => Promise<number>>

async function startMs(open: Open, side: Beside): Promise<number> {
  using terminal = open(side, "printf 'ready.'; exec sleep 60")
  return (await terminal.shows('ready.')) - terminal.startedAt
}

async function echoMs(open: Open, side: Beside, keys: number): Promise<number> {
  using terminal = open(side, echoing)
  await terminal.shows('ready.')
  return await typed(terminal, keys)
}

/** The median of the keys. */
async function typed(terminal: Opened, keys: number): Promise<number> {
  const took: number[] = []
  for (let key = 0; key < keys; key += 1) {
    const letter = String.fromCodePoint(97 + (key % 26))
    const at = performance.now()
    const shown = terminal.shows(letter)
    terminal.write(letter)
    took.push((await shown) - at)
    await sleep(5)
  }
  return sampleOf(took).median
}

async function throughMs(open: Open, side: Beside, file: string): Promise<number> {
  // tmux paints what is on the screen after a while, so the beginning is a key.
  using terminal = open(side, `printf 'ready.'; read go; cat '${file}'; printf 'over.'; exec sleep 60`)
  await terminal.shows('ready.')
  const from = performance.now()
  terminal.write('\r')
  return (await terminal.shows('over.')) - from
}

async function echoBesideFlood(open: Open, side: Beside, keys: number): Promise<number> {
  using flood = open(side, flooding)
  await flood.shows('for as long as')
  using terminal = open(side, echoing)
  await terminal.shows('ready.')
  return await typed(terminal, keys)
}

function figuresOf(
  name: string,
  title: string,
  measured: Partial<Record<Name, number[]>>,
  bars: Partial<Record<Name, number>>,
): Figure[] {
  const { ours = [], ...peers } = measured
  return (Object.entries(peers) as [Name, number[]][]).map(([peer, theirs]) => {
    const given = {
      name: `terminals-run/${name}/${peer}`,
      title: `${title}, against ${peer === 'bare' ? 'the program alone' : peer}`,
      unit: 'ms',
      ours: sampleOf(ours),
      peer: sampleOf(theirs),
      ratio: ratioOf(ours, theirs),
    }
    const bar = bars[peer]
    return bar === undefined ? forInformation(given) : atMost(bar, given)
  })
}
