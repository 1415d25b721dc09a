/** What a search needs of xterm. */
export type FindableTerminal = {
  readonly cols: number
  readonly rows: number
  readonly buffer: { readonly active: FindableBuffer }
  select(column: number, row: number, length: number): void
  clearSelection(): void
  scrollToLine(line: number): void
}
type FindableBuffer = { readonly length: number; getLine(row: number): FindableLine | undefined }
type FindableLine = {
  readonly isWrapped: boolean
  readonly length: number
  getCell(column: number): { getChars(): string; getWidth(): number } | undefined
}

/** How many matches there are, and which is shown; counted from 1, from the top. */
export type Found = { count: number; at: number }

export type Finder = {
  /** Selects the last match, or the next one up (-1) or down (1). Case does not matter. */
  find(words: string, step: -1 | 0 | 1): Found
  /** The text of every line that is kept. */
  text(): string
}

type Place = { row: number; column: number }
/** A line as printed, however many rows it takes, and where each of its characters is. */
type PrintedLine = { text: string; places: Place[] }
type Match = Place & { length: number }

const most = 10_000

export function createFinder(terminal: FindableTerminal): Finder {
  let shown: { words: string; match: Match } | null = null

  return {
    find(words, step) {
      const matches = words === '' ? [] : matchesIn(linesOf(terminal), words, terminal.cols)
      const before = shown?.words === words ? matches.findIndex((match) => isSame(match, shown?.match)) : -1
      const wanted = before === -1 ? matches.length - 1 : (before + step + matches.length) % matches.length
      const match = matches[wanted]
      if (match === undefined) {
        shown = null
        terminal.clearSelection()
        return { count: 0, at: 0 }
      }
      shown = { words, match }
      terminal.select(match.column, match.row, match.length)
      terminal.scrollToLine(Math.max(0, match.row - Math.floor(terminal.rows / 2)))
      return { count: matches.length, at: wanted + 1 }
    },
    text: () =>
      linesOf(terminal)
        .map(({ text }) => text.trimEnd())
        .join('\n')
        .trimEnd(),
  }
}

const isSame = (one: Match, other: Match | undefined): boolean => one.row === other?.row && one.column === other.column

function linesOf({ buffer: { active } }: FindableTerminal): PrintedLine[] {
  const lines: PrintedLine[] = []
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row)
    if (line === undefined) continue
    const last = line.isWrapped ? lines.at(-1) : undefined
    const whole = last ?? { text: '', places: [] }
    if (!last) lines.push(whole)
    for (let column = 0; column < line.length; column += 1) {
      const cell = line.getCell(column)
      // The second half of a wide character.
      if (cell === undefined || cell.getWidth() === 0) continue
      const chars = cell.getChars() || ' '
      whole.text += chars
      for (let unit = 0; unit < chars.length; unit += 1) whole.places.push({ row, column })
    }
  }
  return lines
}

function matchesIn(lines: readonly PrintedLine[], words: string, cols: number): Match[] {
  const wanted = lower(words)
  const matches: Match[] = []
  for (const { text, places } of lines) {
    const searched = lower(text)
    for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + wanted.length)) {
      const [first, last] = [places[at], places[at + wanted.length - 1]]
      if (first && last)
        matches.push({ ...first, length: (last.row - first.row) * cols + last.column - first.column + 1 })
      if (matches.length === most) return matches
    }
  }
  return matches
}

/** In lower case where that has the same length, so that places stay true. */
const lower = (text: string): string => {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text
}
