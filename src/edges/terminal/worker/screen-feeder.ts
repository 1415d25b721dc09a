import type { Clock } from '../../../lib/clock.ts'
import type { Emulator } from '../emulator.ts'

/** Feeds text to the emulator: a little text at once, much text in large pieces. */
export type ScreenFeeder = {
  /** Resolves when the screen shows it or, with much text, when there is room for more. */
  push(text: string, bytes: number, offset: number): Promise<void>
  /** Everything pushed so far is on the screen then. */
  settled(): Promise<void>
}

type Deps = {
  emulator: Pick<Emulator, 'write' | 'scrollsWhole' | 'linesKept'>
  clock: Clock
  /** More bytes are on the screen, up to this offset of the recording; `onlyEnds`: only line ends. */
  shown(bytes: number, offset: number, onlyEnds: boolean): void
}

const much = 32 * 1024
const tooMuch = 2 * 1024 * 1024
/** While text waits, the part that scrolls out is dropped in these steps: text held for long is costly to free. */
const letGoEvery = 256 * 1024
/** Much text is shown this often: what scrolled out by then is not emulated. */
const everyMs = 50
/** The output paused or ended: perhaps the program asks something. */
const haltMs = 8

export function createScreenFeeder({ emulator, clock, shown }: Deps): ScreenFeeder {
  const waiting: { until: number; wake(): void }[] = []
  let texts: string[] = []
  let bytes = 0
  let pushed = 0
  let offset = 0
  let shownAt = 0
  let pushedAt = 0
  let isRunning = false
  let isWriting = false
  let length = 0
  let letGoAt = letGoEvery
  let hurry: (() => void) | null = null

  const pause = (untilMs: number) =>
    new Promise<void>((resolve) => {
      const timer = clock.at(untilMs, resolve)
      hurry = () => {
        timer[Symbol.dispose]()
        resolve()
      }
    })

  const due = () => (bytes < much ? 0 : Math.min(shownAt + everyMs, pushedAt + haltMs))

  function hold(next: string[]): void {
    texts = next
    length = next.reduce((sum, text) => sum + text.length, 0)
    // If nothing can be dropped, do not try again with every piece.
    letGoAt = Math.max(letGoEvery, length * 2)
  }

  /** Not during a write: whether there is a scroll region is known only after it. */
  function letGo(): void {
    if (length >= letGoAt && !isWriting && emulator.scrollsWhole)
      hold([dropScrolledText(texts.join(''), emulator.linesKept)])
  }

  async function run(): Promise<void> {
    isRunning = true
    while (texts.length > 0) {
      for (let dueAt = due(); dueAt > clock.now() && waiting.length === 0; dueAt = due()) await pause(dueAt)
      hurry = null
      const [text, count, to, until] = [texts.join(''), bytes, offset, pushed]
      hold([])
      bytes = 0
      shownAt = clock.now()
      isWriting = true
      await emulator.write(count >= much && emulator.scrollsWhole ? dropScrolledText(text, emulator.linesKept) : text)
      isWriting = false
      shown(count, to, count <= 4 && /^[\r\n]+$/.test(text))
      for (let first = waiting[0]; first && first.until <= until; first = waiting[0]) waiting.shift()?.wake()
    }
    isRunning = false
  }

  function settled(): Promise<void> {
    if (!isRunning) return Promise.resolve()
    const until = pushed
    return new Promise((wake) => {
      waiting.push({ until, wake })
      hurry?.()
    })
  }

  return {
    async push(text, count, to) {
      texts.push(text)
      length += text.length
      letGo()
      bytes += count
      pushed += count
      offset = to
      pushedAt = clock.now()
      if (!isRunning) void run()
      if (bytes < much || bytes >= tooMuch) await settled()
    },
    settled,
  }
}

/** Any control character except line ends, tabs, colours and clearing a line. */
// eslint-disable-next-line no-control-regex -- control characters are the point
const other = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[(?:[0-9;:]*m|[012]?K))/
// eslint-disable-next-line no-control-regex -- as above
const colourSequences = /\u001b\[[0-9;:]*m/g
const resets = ['\u001b[0m', '\u001b[m']

/**
 * Text with the same effect on a terminal of this many lines as `text`, without the part that scrolls out: of a program
 * that prints 20 MB a second, only the last lines are emulated. If that part has anything but lines and colours,
 * all of it stays. Only for a terminal without a scroll region.
 */
export function dropScrolledText(text: string, lines: number): string {
  const cut = startOfLast(text, lines)
  const going = text.slice(0, cut)
  if (cut === 0 || other.test(going)) return text
  // After a reset earlier colours do not matter. The current line ends here.
  const reset = Math.max(0, ...resets.map((one) => going.lastIndexOf(one)))
  return `${(going.slice(reset).match(colourSequences) ?? []).join('')}\r\n${text.slice(cut)}`
}

/** Where the last lines begin, after a CR LF; 0 if there are fewer. */
function startOfLast(text: string, lines: number): number {
  let at = text.length
  for (let count = 0; count <= lines; count += 1) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (at <= 0) return 0
  }
  return text[at - 1] === '\r' ? at + 1 : 0
}
