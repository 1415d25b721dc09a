import type { Clock } from '../../../lib/clock.ts'
import type { Emulator } from '../emulator.ts'
import { dropScrolledText } from './drop-scrolled-text.ts'

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
