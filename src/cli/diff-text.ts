import { structuredPatch } from 'diff'
import { exactLine, exactText } from './clean-text.ts'
import type { Paint } from './output.ts'

/** A unified diff with colours. */
export const paintDiff = (diff: string, paint: Paint): string[] =>
  exactText(diff)
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (line.startsWith('@@')) return paint('cyan', line)
      if (line.startsWith('+')) return paint('green', line)
      return line.startsWith('-') ? paint('red', line) : line
    })

export type Edit = { path: string; oldText: string | null; newText: string }

/** The change of a file as lines: its path, then the hunks. */
export function editLines({ path, oldText, newText }: Edit, paint: Paint): string[] {
  const { hunks } = structuredPatch(path, path, oldText ?? '', newText, undefined, undefined, { context: 3 })
  const isNew = oldText === null || oldText === ''
  const head = `${paint('bold', exactLine(path))}${isNew ? ' (new)' : ''}`
  if (hunks.length === 0) return [head, '  (nothing changes)']
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const place = `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`
    // A line may contain characters that break lines on a terminal: each stays one line.
    return [place, ...lines.map((line) => exactText(line).replaceAll('\n', '\\n'))].flatMap((line) =>
      paintDiff(line, paint),
    )
  })
  return [head, ...body]
}

/** By convention, an empty range names the line before it. */
const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`
