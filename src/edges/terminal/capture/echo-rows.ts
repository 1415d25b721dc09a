import { charWidth } from '../../../lib/text-width.ts'
import { sequenceEnd } from './escapes.ts'

/**
 * The rows around the cursor while a line is typed, drawn from the bytes alone: what a program shows there is the echo.
 * Rows count from the one of the first key; a row that wraps is one row.
 */
export type EchoRows = {
  readonly row: number
  /** How much was drawn. */
  readonly drawn: number
  /** How many characters were printed. */
  readonly printed: number
  draw(bytes: Uint8Array, seeing: Seeing): void
  /** How many parts, from the first on, are shown in one row down to this one; in the first row where the cursor was. */
  found(parts: readonly Part[], downTo: number): number
  /** Something else than one of the texts was printed at the cursor of the first key. */
  differsFrom(texts: readonly string[]): boolean
}

/** Text without blanks, between keys that edit. */
export type Part = { text: string; isBeginning: boolean }

export type Seeing = {
  /** A row is about to change. */
  changing(): void
  /** Something is about to be printed in this row. */
  printing(row: number): void
  /** The program goes elsewhere on the screen; `whole`: it clears the screen, or places the cursor itself. */
  leaving(whole: boolean): void
}

const escape = 0x1b
const tabStop = 8
const mostRows = 120
const rowsKept = 60
/** What is printed further to the right is not kept. */
const longestRow = 1024
/** A character with its marks. */
const longestCell = 16
/** Rows that the program numbers itself are far from all others. */
const placed = 1_000_000
const frames = /[\u2500-\u257f]/gu

type Place = { row: number; at: number }

export function createEchoRows(columns: number, before: Uint8Array): EchoRows {
  const rows = new Map<number, string[]>()
  let row = 0
  let at = 0
  let drawn = 0
  let printed = 0
  let saved: Place = { row, at }
  /** Just after the last column: the next character goes to the next row. */
  let isAtEdge = false
  /** Where the first key came, in the first row. */
  let origin = 0
  /** The program drew its first row again: text may be anywhere in it. */
  let isRedrawn = false

  const cells = (): string[] => {
    let found = rows.get(row)
    if (!found) rows.set(row, (found = []))
    return found
  }
  const base = () => (isAtEdge ? at - columns : at - (at % columns))

  function print(character: string): void {
    const width = charWidth(character.codePointAt(0) ?? 0)
    const line = cells()
    printed += 1
    while (line.length < Math.min(at, longestRow)) line.push(' ')
    if (width === 0) {
      const cell = line[at - 1] ?? ''
      if (at > 0 && at < longestRow && cell.length < longestCell) line[at - 1] = cell + character
      return
    }
    if (row === 0 && at < origin) isRedrawn = true
    if (at < longestRow) {
      line[at] = character
      if (width === 2) line[at + 1] = ''
    }
    at += width
    isAtEdge = at % columns === 0
  }

  function moveTo(next: Place): void {
    ;({ row, at } = next)
    isAtEdge = false
  }

  function up(): void {
    const column = at - base()
    if (base() >= columns) return moveTo({ row, at: base() - columns + column })
    const above = rows.get(row - 1)?.length ?? 0
    moveTo({ row: row - 1, at: Math.max(0, Math.ceil(above / columns) - 1) * columns + column })
  }

  function down(): void {
    const column = at - base()
    const below = base() + columns
    if (cells().length > below) return moveTo({ row, at: below + column })
    moveTo({ row: row + 1, at: column })
    if (rows.size > mostRows) for (const known of rows.keys()) if (known < row - rowsKept) rows.delete(known)
  }

  function blank(from: number, to: number): void {
    const line = cells()
    if (to >= line.length) line.length = Math.min(line.length, from)
    else line.fill(' ', from, to)
  }

  function leave(seeing: Seeing, whole: boolean): void {
    seeing.changing()
    seeing.leaving(whole)
  }

  /** The program numbers the rows itself from now on: what was typed must be shown there. */
  function place(line: number, column: number, seeing: Seeing): void {
    leave(seeing, true)
    if (row < placed / 2) rows.clear()
    moveTo({ row: placed + line, at: column })
  }

  function control(sequence: Uint8Array, seeing: Seeing): void {
    if (sequence[1] === 0x37) saved = { row, at }
    if (sequence[1] === 0x38) moveTo(saved)
    if (sequence[1] !== 0x5b) return
    const words = Buffer.from(sequence.subarray(2, -1)).toString('latin1')
    const final = String.fromCharCode(sequence.at(-1) ?? 0)
    const [first = 0, second = 0] = words.split(';').map((number) => Number.parseInt(number, 10) || 0)
    const count = Math.min(Math.max(1, first), 2000)
    if (words.startsWith('?')) {
      if (/^\?(?:47|1047|1049)$/.test(words)) {
        leave(seeing, true)
        rows.clear()
      } else if (final === 'l' && words.length > 3) leave(seeing, false)
      return
    }
    if ('ABEF'.includes(final)) {
      seeing.changing()
      for (let step = 0; step < Math.min(count, rowsKept); step++) (final === 'A' || final === 'F' ? up : down)()
      if (final === 'E' || final === 'F') moveTo({ row, at: base() })
    } else if (final === 'C') moveTo({ row, at: base() + Math.min(at - base() + count, columns - 1) })
    else if (final === 'D') moveTo({ row, at: Math.max(base(), at - count) })
    else if (final === 'G' || final === '`') moveTo({ row, at: base() + Math.min(count, columns) - 1 })
    else if (final === 'H' || final === 'f') place(count, Math.max(1, second) - 1, seeing)
    else if (final === 'd') place(count, at - base(), seeing)
    else if (final === 's') saved = { row, at }
    else if (final === 'u') moveTo(saved)
    else if (final === 'K') {
      seeing.changing()
      blank(first === 0 ? at : base(), first === 1 ? at + 1 : base() + columns)
    } else if (final === 'J' && first >= 2) {
      leave(seeing, true)
      rows.clear()
    } else if (final === 'J') {
      seeing.changing()
      blank(first === 0 ? at : 0, first === 0 ? Number.POSITIVE_INFINITY : at + 1)
      if (first === 0) for (const known of rows.keys()) if (known > row) rows.delete(known)
    } else if (final === 'P' || final === '@') {
      seeing.changing()
      const line = cells()
      if (final === 'P') line.splice(at, count)
      else line.splice(at, 0, ...Array.from({ length: count }, () => ' '))
      line.length = Math.min(line.length, longestRow)
    } else if (final === 'X') blank(at, at + count)
  }

  function single(byte: number, seeing: Seeing): void {
    if (byte === 10) {
      seeing.changing()
      down()
    } else if (byte === 13) moveTo({ row, at: base() })
    else if (byte === 8) {
      seeing.changing()
      moveTo({ row, at: Math.max(base(), at - 1) })
    } else if (byte === 9) moveTo({ row, at: at + tabStop - (at % tabStop) })
  }

  function draw(bytes: Uint8Array, seeing: Seeing): void {
    drawn += bytes.length
    for (let next = 0; next < bytes.length;) {
      const byte = bytes[next] ?? 0
      if (byte === escape) {
        const end = Math.min(bytes.length, sequenceEnd(bytes, next))
        control(bytes.subarray(next, end), seeing)
        next = end
      } else if (byte < 0x20 || byte === 0x7f) {
        single(byte, seeing)
        next += 1
      } else {
        let end = next
        while (end < bytes.length && (bytes[end] ?? 0) >= 0x20 && bytes[end] !== 0x7f) end += 1
        seeing.printing(row)
        for (const character of Buffer.from(bytes.subarray(next, end)).toString()) print(character)
        next = end
      }
    }
  }

  const nobody: Seeing = { changing() {}, printing() {}, leaving() {} }
  draw(before, nobody)
  const standing = cells().slice(0, at)
  rows.clear()
  rows.set(0, standing)
  row = 0
  origin = at
  isRedrawn = false
  drawn = 0

  return {
    get row() {
      return row
    },
    get drawn() {
      return drawn
    },
    get printed() {
      return printed
    },
    draw,
    found(parts, downTo) {
      let most = 0
      let whole = ''
      for (const [number, line] of [...rows].toSorted(([a], [b]) => a - b)) {
        if (number > downTo) break
        const isFirst = number === 0 && !isRedrawn
        const text = withoutBlanks((isFirst ? line.slice(origin) : line).join(''))
        if (isFirst && parts[0]?.isBeginning && !text.startsWith(parts[0].text)) continue
        most = Math.max(most, inOrder(parts, text))
        whole += text.replaceAll(frames, '')
      }
      // A field may have several rows.
      return Math.max(most, inOrder(parts, whole))
    },
    differsFrom(texts) {
      if (isRedrawn) return false
      const echo = withoutBlanks((rows.get(0) ?? []).slice(origin).join(''))
      return texts.every((text) => !echo.startsWith(text) && !text.startsWith(echo))
    },
  }
}

/** How many of the parts the text contains, from the first on. */
function inOrder(parts: readonly Part[], text: string): number {
  let from = 0
  for (const [count, part] of parts.entries()) {
    const at = text.indexOf(part.text, from)
    if (at === -1) return count
    from = at + part.text.length
  }
  return parts.length
}

export const withoutBlanks = (text: string): string => text.replaceAll(/\s+/gu, '')
