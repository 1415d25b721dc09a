import { createEchoRows, withoutBlanks, type EchoRows, type Part, type Seeing } from './echo-rows.ts'
import type { Taint } from './taint.ts'
import { editedText, typedParts } from './typed-parts.ts'

/**
 * Whether a program showed the lines that were typed, from keys and output alone, in their order. A line that was not shown
 * in full where it was typed is a secret before anything more is printed, and stays one unless somebody saw it on the screen.
 */
export type Suspect = {
  /** The first key of a line. */
  began(): void
  /** Gives its number. Null: whether it is a secret is known already. `hidden`: the program read it and showed nothing. */
  entered(keys: Uint8Array | null, hidden?: boolean): number
  /** How many lines were entered. */
  readonly lines: number
  /** Before the taint sees the same bytes. */
  see(bytes: Buffer): void
  verdict(line: number): EchoVerdict
  /** What the screen says of a line. */
  judge(line: number, secret: boolean): void
  /** Nothing more is waited for: what is open, up to that line, was hidden. */
  giveUp(upTo?: number): void
}

/** `unseen`: hidden while it was typed, whatever the screen shows now. */
export type EchoVerdict = 'shown' | 'hidden' | 'unseen' | 'open'

type Line = {
  number: number
  /** Null: it was shown, and its row goes on. */
  parts: number[][] | null
  /** What has not been shown yet. */
  missing: Part[]
  /** All of it, if the cursor moved as keys usually move it. */
  whole: Part[]
  /** What may be shown on the way to it. */
  steps: string[]
  /** What is printed below this row comes after it. */
  row: number
  drawn: number
}

/** The line at the cursor, and how wide the terminal is. */
type Shown = { line(): Buffer; columns(): number }

/** After so much output without its echo, a line was hidden. */
const longestEcho = 4096
/** A line that is typed while more than this is printed: what comes after is not looked at. */
const mostWhileTyping = 4 * 1024 * 1024
const mostOpen = 16
const mostRemembered = 200

export function createSuspect(taint: Pick<Taint, 'add' | 'clear' | 'confirm'>, shown: Shown): Suspect {
  let rows: EchoRows | null = null
  let isTyping = false
  let lines = 0
  let open: Line[] = []
  /** How much was printed when the rows were last looked at. */
  let lookedAt = -1
  const hidden = new Set<number>()
  const unseen = new Set<number>()
  /** The last hidden line: the taint holds it in doubt. */
  let doubted: number | null = null

  function close(line: Line): void {
    for (const part of line.parts ?? []) part.fill(0)
    line.parts = null
    line.missing = []
    line.whole = []
    line.steps = []
  }

  function isHidden({ number, parts }: Line, sure: boolean): void {
    hidden.add(number)
    if (hidden.size > mostRemembered) hidden.delete(Math.min(...hidden))
    if (doubted !== null) taint.confirm()
    doubted = sure ? null : number
    const all = parts ?? []
    for (const text of all.length > 1 ? [all.flat(), ...all] : all) taint.add(text, !sure)
  }

  function decide(line: Line): void {
    if (line.parts !== null) isHidden(line, false)
    close(line)
  }

  function look(): void {
    if (rows === null || open.length === 0 || rows.printed === lookedAt) return
    lookedAt = rows.printed
    for (const line of open) find(line, line.row)
    const [first] = open
    const [beginning] = first?.missing ?? []
    if (!first || first.row > 0 || !beginning?.isBeginning) return
    if (rows.differsFrom([beginning.text, ...first.steps])) decide(first)
  }

  function find(line: Line, downTo: number): void {
    if (rows === null || line.parts === null) return
    line.missing.splice(0, rows.found(line.missing, downTo))
    if (line.missing.length === 0 || rows.found(line.whole, downTo) > 0) close(line)
  }

  /** Rows are kept while their echo may still come. */
  function tidy(): void {
    if (!isTyping && open.length === 0) rows = null
  }

  const seeing: Seeing = {
    changing: look,
    printing(row) {
      for (let first = open[0]; first && row > first.row; first = open[0]) {
        decide(first)
        open.shift()
      }
    },
    leaving(whole) {
      for (const line of whole ? open : open.slice(0, 1)) decide(line)
      open = whole ? [] : open.slice(1)
    },
  }

  return {
    get lines() {
      return lines
    },
    began() {
      isTyping = true
      rows ??= createEchoRows(shown.columns(), shown.line())
    },
    entered(keys, isUnseen = false) {
      lines += 1
      isTyping = false
      if (keys === null || rows === null) {
        tidy()
        return lines
      }
      const erased: number[][] = []
      const parts = typedParts(keys, (text) => erased.push(text))
      const missing = partsOf(parts)
      const whole = partsOf(missing.length > 1 ? [editedText(keys)] : [])
      const steps = partsOf(erased).map(({ text }) => text)
      lookedAt = -1
      const before = open.at(-1)
      const row = Math.max(rows.row, before ? before.row + 1 : rows.row)
      const line: Line = { number: lines, parts, missing, whole, steps, row, drawn: rows.drawn }
      // Whatever was on the screen before Enter was shown, also below the cursor.
      find(line, Number.POSITIVE_INFINITY)
      if (isUnseen && line.parts !== null) {
        unseen.add(lines)
        if (unseen.size > mostRemembered) unseen.delete(Math.min(...unseen))
        isHidden(line, true)
        close(line)
      }
      open.push(line)
      if (open.length > mostOpen) decide(open.shift() ?? line)
      return lines
    },
    see(bytes) {
      if (rows === null) return
      if (open.length > 0 || rows.drawn < mostWhileTyping) rows.draw(bytes, seeing)
      look()
      for (let first = open[0]; first && rows.drawn - first.drawn > longestEcho; first = open[0]) {
        decide(first)
        open.shift()
      }
      tidy()
    },
    verdict(number) {
      if (unseen.has(number)) return 'unseen'
      if (hidden.has(number)) return 'hidden'
      return open.some((line) => line.number === number && line.parts !== null) ? 'open' : 'shown'
    },
    judge(number, secret) {
      const line = open.find((one) => one.number === number)
      if (line && line.parts !== null) {
        if (secret) isHidden(line, true)
        close(line)
      }
      if (!secret) hidden.delete(number)
      if (doubted !== number) return
      doubted = null
      if (secret) taint.confirm()
      else taint.clear()
    },
    giveUp(upTo = lines) {
      for (const line of open) if (line.number <= upTo) decide(line)
      open = open.filter(({ number }) => number > upTo)
      tidy()
    },
  }
}

function partsOf(texts: readonly number[][]): Part[] {
  const plain = texts.map((text) => withoutBlanks(Buffer.from(text).toString())).filter((text) => text !== '')
  return plain.map((text, at) => ({ text, isBeginning: at === 0 }))
}
