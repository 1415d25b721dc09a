import type { Highlighter } from './highlighter.ts'
import type { DiffLine, Hunk } from './model.ts'
import type { Token } from './pieces.ts'

/** Texts are coloured in parts of so many lines; longer lines stay plain. */
const linesPerPart = 1000
const longestLine = 2000

type Part = { lines: DiffLine[]; wanted: boolean }

/** The colours of a file: asked for where someone looks, and kept. */
export type Colours = {
  of: (line: DiffLine) => readonly Token[] | null
  /** Calls back when lines got colours that they had not. */
  want: (lines: Iterable<DiffLine>, changed: () => void) => void
}

export function coloursOf(hunks: readonly Hunk[], language: string | null, highlighter: () => Highlighter): Colours {
  const tokens = new Map<DiffLine, readonly Token[]>()
  const parts = new Map<DiffLine, Part>()
  const heard = new Map<Part, Set<() => void>>()
  if (language !== null) for (const hunk of hunks) for (const part of partsOf(hunk)) indexPart(parts, part)

  const ask = async (part: Part, named: string): Promise<void> => {
    const found = await highlighter().highlight(named, part.lines.map(textOf))
    for (const [index, line] of part.lines.entries()) {
      const own = found?.[index]
      if (own !== undefined && parts.get(line) === part) tokens.set(line, own)
    }
    for (const changed of heard.get(part) ?? []) changed()
    heard.delete(part)
  }
  return {
    of: (line) => tokens.get(line) ?? null,
    want: (lines, changed) => {
      // The newest is coloured first, so the first lines are asked for last.
      const wanted = new Set(Array.from(lines, (line) => parts.get(line)))
      for (const part of [...wanted].toReversed()) {
        if (part === undefined || language === null) continue
        if (!part.wanted) {
          part.wanted = true
          heard.set(part, new Set())
          void ask(part, language)
        }
        heard.get(part)?.add(changed)
      }
    },
  }
}

const textOf = ({ text }: DiffLine): string => {
  if (text.length > longestLine) return ''
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

/** Both sides of a hunk as texts of their own: a string that was opened on one is not open on the other. */
function partsOf({ lines }: Hunk): Part[] {
  const after = lines.filter(({ op }) => op !== '-')
  const before = lines.some(({ op }) => op === '-') ? lines.filter(({ op }) => op !== '+') : []
  return [...cut(before), ...cut(after)]
}

const cut = (lines: DiffLine[]): Part[] =>
  Array.from({ length: Math.ceil(lines.length / linesPerPart) }, (_, index) => ({
    lines: lines.slice(index * linesPerPart, (index + 1) * linesPerPart),
    wanted: false,
  }))

function indexPart(parts: Map<DiffLine, Part>, part: Part): void {
  for (const line of part.lines) parts.set(line, part)
}
