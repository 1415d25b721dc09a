import { SerializeAddon } from '@xterm/addon-serialize'
import headless, { type IBuffer, type Terminal } from '@xterm/headless'
import type { Screen, ScreenLine } from '../../domain/terminal/screen.ts'
import { boundedWidths, guard } from './emulator-guards.ts'
import { plainLine, screenLine } from './emulator-marks.ts'

export type Emulator = {
  /** Resolves when the screen shows it. */
  write(text: string | Uint8Array): Promise<void>
  resize(cols: number, rows: number): void
  screen(): Screen
  /** All lines that are left, wrapped ones joined, from line `from` on. */
  text(from?: number): string
  /** Bytes that paint the present screen on an empty terminal. */
  /** `above`: with the lines that scrolled out. */
  ansi(above?: boolean): string
  readonly bells: number
  /** How many lines scrolled out at the top so far. */
  readonly scrolled: number
  /** True while no part of the screen was ever set apart: then what scrolls out is gone for good, and nothing else is. */
  readonly scrollsWhole: boolean
  /** After so many lines nothing of what was there before is left. */
  readonly linesKept: number
  dispose(): void
}

type Size = {
  cols: number
  rows: number
  scrollback?: number
  /** A log's lines end without a return. */
  convertEol?: boolean
  /** What a terminal says to questions of the program (its kind, the cursor's place). */
  reply?: (text: string) => void
}

const linesAbove = 50
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

  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
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

type Told = Pick<Screen, 'title' | 'shellMark' | 'progress'> & { hidden: boolean; region: boolean }

/** What programs say beside the text, and the emulator keeps to itself. */
function listen(terminal: Terminal): Told {
  const told: Told = { title: '', shellMark: null, progress: false, hidden: false, region: false }
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
function forget(told: Told): false {
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
