import type { Highlighter } from './highlighter.ts'
import type { DiffLine, ShownHunk } from './diff-model.ts'
import type { SyntaxToken } from './line-pieces.ts'

/** Texts are highlighted in parts of this many lines; longer lines stay plain. */
const linesPerPart = 1000
const longestLine = 2000

type HighlightPart = { lines: DiffLine[]; wanted: boolean }

/** Highlighting of a file: requested near the screen, and cached. */
export type HighlightedLines = {
  of: (line: DiffLine) => readonly SyntaxToken[] | null
  /** Calls back when more lines are highlighted. */
  want: (lines: Iterable<DiffLine>, changed: () => void) => void
}

export function highlightedLines(
  hunks: readonly ShownHunk[],
  language: string | null,
  highlighter: () => Highlighter,
): HighlightedLines {
  const tokens = new Map<DiffLine, readonly SyntaxToken[]>()
  const parts = new Map<DiffLine, HighlightPart>()
  const heard = new Map<HighlightPart, Set<() => void>>()
  if (language !== null) for (const hunk of hunks) for (const part of partsOf(hunk)) indexPart(parts, part)

  const ask = async (part: HighlightPart, named: string): Promise<void> => {
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
      // The newest request is served first, so the first lines are requested last.
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

/** Each side of a hunk is a separate text: a string opened on one side is not open on the other. */
function partsOf({ lines }: ShownHunk): HighlightPart[] {
  const after = lines.filter(({ op }) => op !== '-')
  const before = lines.some(({ op }) => op === '-') ? lines.filter(({ op }) => op !== '+') : []
  return [...cut(before), ...cut(after)]
}

const cut = (lines: DiffLine[]): HighlightPart[] =>
  Array.from({ length: Math.ceil(lines.length / linesPerPart) }, (_, index) => ({
    lines: lines.slice(index * linesPerPart, (index + 1) * linesPerPart),
    wanted: false,
  }))

function indexPart(parts: Map<DiffLine, HighlightPart>, part: HighlightPart): void {
  for (const line of part.lines) parts.set(line, part)
}
