import headless, { type IBuffer, type Terminal } from '@xterm/headless'
import { SerializeAddon } from '@xterm/addon-serialize'
import type { Screen, ScreenLine, Mark } from '../../domain/terminal/screen.ts'
import type { IFunctionIdentifier, IParser, IUnicodeVersionProvider, IBufferCell, IBufferLine } from '@xterm/headless'
import type { Looks } from '../../domain/terminal/looks.ts'
import { createBoundedStrings } from './bounded-strings.ts'
import { charWidth } from '../../lib/text-width.ts'
import { looksOf } from './looks.ts'

export type Emulator = {
  /** Resolves when the screen shows it. */
  write(text: string | Uint8Array): Promise<void>
  resize(cols: number, rows: number): void
  screen(): Screen
  looks(): Looks
  /** All lines kept, wrapped ones joined, from line `from` on. */
  text(from?: number): string
  /** Bytes that paint the current screen on an empty terminal. */
  /** `above`: with the lines that scrolled out. */
  ansi(above?: boolean): string
  readonly bells: number
  /** How many lines scrolled out at the top so far. */
  readonly scrolled: number
  /** True while no scroll region was ever set: then lines only leave by scrolling out at the top. */
  readonly scrollsWhole: boolean
  /** After this many lines nothing earlier is left. */
  readonly linesKept: number
  dispose(): void
}

type Size = {
  cols: number
  rows: number
  scrollback?: number
  /** Lines of a log end without a carriage return. */
  convertEol?: boolean
  /** The terminal's answers to queries of the program (its kind, the cursor position). */
  reply?: (text: string) => void
}

const linesAbove = 50
/** How long one terminal may keep the thread to itself. */
const turnMs = 8
const leastInTurn = 1024
const firstInTurn = 4096
const mostInTurn = 128 * 1024
/** A mode may change the whole screen, and costs a thousand times as much as a letter. */
const mostModes = 64
const longestTitle = 300

export function createEmulator({ cols, rows, scrollback = 1000, convertEol = false, reply }: Size): Emulator {
  const terminal = new headless.Terminal({
    cols,
    rows,
    scrollback,
    convertEol,
    allowProposedApi: true,
    logLevel: 'off',
  })
  const serialize = new SerializeAddon()
  terminal.loadAddon(serialize)
  terminal.unicode.register(boundedWidths)
  terminal.unicode.activeVersion = boundedWidths.version
  guard(terminal.parser)
  const told = listen(terminal)
  let bells = 0
  terminal.onBell(() => (bells += 1))
  let scrolled = 0
  terminal.onScroll(() => (scrolled += 1))
  if (reply) terminal.onData(reply)
  const bounded = createBoundedStrings()
  let inTurn = firstInTurn

  const written = (text: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(text, resolve))

  /** A few milliseconds of work at a time: some text costs a thousand times as much as other, and other terminals wait. */
  async function inTurns(text: string): Promise<void> {
    if (text.length <= leastInTurn) return written(text)
    for (let at = 0; at < text.length;) {
      const piece = text.slice(at, endOfTurn(text, at, inTurn))
      at += piece.length
      const started = performance.now()
      // What it waits for others is not its own.
      let begun = started
      await new Promise<void>((resolve) => {
        terminal.write('', () => (begun = performance.now()))
        terminal.write(piece, resolve)
      })
      const perTurn = (piece.length * turnMs) / Math.max(0.1, performance.now() - begun)
      inTurn = Math.round(Math.min(mostInTurn, Math.max(leastInTurn, perTurn, inTurn / 8), inTurn * 2))
    }
  }

  return {
    write: (text) => (typeof text === 'string' ? inTurns(bounded(text)) : written(text)),
    resize: (newCols, newRows) => terminal.resize(newCols, newRows),
    screen() {
      const buffer = terminal.buffer.active
      const { modes } = terminal
      return {
        cols: terminal.cols,
        rows: terminal.rows,
        lines: linesOf(terminal, buffer, buffer.baseY, buffer.baseY + terminal.rows),
        above: linesAboveOf(buffer),
        cursor: { row: buffer.cursorY, col: buffer.cursorX, hidden: told.hidden },
        alternate: buffer.type === 'alternate',
        bracketedPaste: modes.bracketedPasteMode,
        applicationCursor: modes.applicationCursorKeysMode,
        mouse: modes.mouseTrackingMode !== 'none',
        title: told.title,
        shellMark: told.shellMark,
        progress: told.progress,
      }
    },
    looks: () => looksOf(terminal),
    text: (from = 0) => textOf(terminal.buffer.active, from),
    ansi: (above = false) => `${serialize.serialize(above ? {} : { scrollback: 0 })}${told.hidden ? '\x1b[?25l' : ''}`,
    get bells() {
      return bells
    },
    get scrolled() {
      return scrolled
    },
    get scrollsWhole() {
      return !told.region
    },
    get linesKept() {
      return scrollback + 2 * terminal.rows
    },
    dispose: () => terminal.dispose(),
  }
}

function endOfTurn(text: string, from: number, length: number): number {
  const end = from + length
  let at = from
  for (let count = 0; count < mostModes; count += 1) {
    at = text.indexOf('\u001b[?', at) + 1
    if (at === 0 || at > end) return end
  }
  return at - 1
}

function linesOf(terminal: Terminal, buffer: IBuffer, from: number, to: number): ScreenLine[] {
  const cell = buffer.getNullCell()
  return Array.from({ length: to - from }, (_, index) => screenLine(buffer.getLine(from + index), terminal.cols, cell))
}

function linesAboveOf(buffer: IBuffer): ScreenLine[] {
  const count = Math.min(linesAbove, buffer.baseY)
  return Array.from({ length: count }, (_, index) => plainLine(buffer.getLine(buffer.baseY - count + index)))
}

function textOf(buffer: IBuffer, from: number): string {
  const lines: string[] = []
  for (let row = from; row < buffer.length; row += 1) {
    const line = buffer.getLine(row)
    const goesOn = buffer.getLine(row + 1)?.isWrapped === true
    const text = line?.translateToString(!goesOn) ?? ''
    if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`)
    else lines.push(text)
  }
  return lines.join('\n').trimEnd()
}

type ReportedState = Pick<Screen, 'title' | 'shellMark' | 'progress'> & { hidden: boolean; region: boolean }

/** Marks and modes that programs set, which the emulator does not expose. */
function listen(terminal: Terminal): ReportedState {
  const told: ReportedState = { title: '', shellMark: null, progress: false, hidden: false, region: false }
  const { parser } = terminal
  for (const [final, hidden] of [
    ['h', false],
    ['l', true],
  ] as const)
    parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (params.includes(25)) told.hidden = hidden
      return false
    })
  parser.registerEscHandler({ final: 'c' }, () => {
    told.region = false
    return forget(told)
  })
  parser.registerCsiHandler({ final: 'r' }, () => {
    told.region = true
    return false
  })
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => forget(told))
  for (const code of [0, 2])
    parser.registerOscHandler(code, (data) => {
      told.title = data.slice(0, longestTitle)
      return true
    })
  for (const code of [133, 633])
    parser.registerOscHandler(code, (data) => {
      told.shellMark = shellMarks.get(data.slice(0, 1)) ?? told.shellMark
      return true
    })
  parser.registerOscHandler(9, (data) => {
    const state = /^4;(\d)/.exec(data)?.[1]
    if (state !== undefined) told.progress = state === '1' || state === '3'
    return true
  })
  return told
}

const shellMarks = new Map<string, Exclude<Screen['shellMark'], null>>([
  ['A', 'prompt'],
  ['B', 'input'],
  ['C', 'running'],
  ['D', 'done'],
])

/** A reset shows the cursor; returning false lets the emulator do the rest. */
function forget(told: ReportedState): false {
  told.hidden = false
  told.shellMark = null
  told.progress = false
  return false
}

/** What a person would read on it. */
export const screenText = (lines: readonly { text: string }[]): string =>
  lines
    .map(({ text }) => text)
    .join('\n')
    .trimEnd()

/** A character with too many combining marks would grow one cell without limit. */
const mostJoined = 16

/** The upper bits of the state count joined marks; the emulator passes it back with the next character. */
const boundedWidths: IUnicodeVersionProvider = {
  version: 'bounded',
  wcwidth: charWidth,
  charProperties(code, preceding) {
    const width = charWidth(code)
    const before = (preceding >> 1) & 3
    if (width > 0 || preceding === 0 || before === 0) return width << 1
    const joined = (preceding >> 3) + 1
    if (joined > mostJoined) return preceding & ~1
    return (joined << 3) | (before << 1) | 1
  },
}

/** These repeat something one by one: a larger count is an attack, not a drawing. */
const mostRepeats = 4096
const repeating: IFunctionIdentifier[] = [
  ...['L', 'M', 'S', 'T', '@', 'P', 'X', 'b', 'I', 'Z'].map((final) => ({ final })),
  ...["'", ' '].flatMap((intermediates) => ['@', 'A', '}', '~'].map((final) => ({ intermediates, final }))),
]

/** Drops sequences that would cost time or memory without limit. */
function guard(parser: IParser): void {
  for (const id of repeating)
    parser.registerCsiHandler(id, ([count]) => typeof count === 'number' && count > mostRepeats)
  // Links are kept for each line without a limit, and are not used here.
  parser.registerOscHandler(8, () => true)
  parser.registerOscHandler(1, () => true)
}

const kinds = ['inverse', 'bold', 'dim', 'underline', 'color'] as const

/** One row of the buffer as a line; `cell` is reused for each column. */
function screenLine(line: IBufferLine | undefined, cols: number, cell: IBufferCell): ScreenLine {
  if (line === undefined) return { text: '', wrapped: false, marks: [] }
  return { text: line.translateToString(true), wrapped: line.isWrapped, marks: marksOf(line, cols, cell) }
}

/** Of lines that scrolled out, only the text is read. */
const plainLine = (line: IBufferLine | undefined): ScreenLine => ({
  text: line?.translateToString(true) ?? '',
  wrapped: line?.isWrapped ?? false,
  marks: [],
})

/** A bit for each kind, in their order. */
function attributes(cell: IBufferCell): number {
  if (cell.isAttributeDefault()) return 0
  return (
    (cell.isInverse() === 0 ? 0 : 1) |
    (cell.isBold() === 0 ? 0 : 2) |
    (cell.isDim() === 0 ? 0 : 4) |
    (cell.isUnderline() === 0 ? 0 : 8) |
    (cell.isFgDefault() && cell.isBgDefault() ? 0 : 16)
  )
}

function marksOf(line: IBufferLine, cols: number, cell: IBufferCell): Mark[] {
  const marks: Mark[] = []
  const since = kinds.map(() => 0)
  let before = 0
  const change = (column: number, now: number): void => {
    for (const [bit, kind] of kinds.entries()) {
      const was = before & (1 << bit)
      if (was === (now & (1 << bit))) continue
      if (was === 0) since[bit] = column
      else marks.push({ from: since[bit] ?? 0, to: column, kind })
    }
    before = now
  }
  for (let column = 0; column < cols; column += 1) {
    const seen = line.getCell(column, cell)
    // The second half of a wide character looks like the first.
    if (seen === undefined || seen.getWidth() === 0) continue
    const now = attributes(seen)
    if (now !== before) change(column, now)
  }
  if (before !== 0) change(cols, 0)
  return marks
}
