import { countHidden } from './hidden-characters.ts'
import type { DiffFile, Hunk } from './diff-model.ts'
import { countQuiet } from './white-space.ts'

export type Facts = { notes: string[]; warnings: string[]; markReturns: boolean }

/** Facts about a file, shown before its lines. */
export function factsOf(file: DiffFile, hunks: readonly Hunk[]): Facts {
  const ends = lineEndsOf(file.hunks)
  const notes: string[] = []
  const mode = modeOf(file)
  if (mode !== null) notes.push(mode)
  if (file.binary) notes.push('binary')
  if (ends === 'crlf') notes.push('CRLF')
  if (ends === 'mixed') notes.push('mixed line ends')
  const quiet = countQuiet(hunks)
  if (quiet > 0) notes.push(`${quiet} ${quiet === 1 ? 'line' : 'lines'} with only white space changed`)
  const hidden = hiddenIn(file)
  const warnings = hidden > 0 ? [`${hidden} hidden ${hidden === 1 ? 'character' : 'characters'}`] : []
  return { notes, warnings, markReturns: ends === 'mixed' }
}

function modeOf({ oldMode, newMode, change }: DiffFile): string | null {
  const runs = (mode: string): boolean => mode.startsWith('1007')
  if (newMode !== null && newMode.startsWith('120')) return 'symbolic link'
  if (change === 'added') return newMode !== null && runs(newMode) ? 'executable' : null
  if (oldMode === null || newMode === null || oldMode === newMode) return null
  if (runs(oldMode) !== runs(newMode)) return runs(newMode) ? 'made executable' : 'no longer executable'
  return `mode ${oldMode} → ${newMode}`
}

/** Only new lines count: old ones can't be changed here. */
function hiddenIn(file: DiffFile): number {
  let count = countHidden(file.path)
  for (const { lines } of file.hunks)
    for (const { op, text } of lines)
      if (op === '+') count += countHidden(text.endsWith('\r') ? text.slice(0, -1) : text)
  for (const line of file.unread?.lines ?? []) count += countHidden(line.endsWith('\r') ? line.slice(0, -1) : line)
  return count
}

type LineEnds = 'lf' | 'crlf' | 'mixed'

/** Consistent line ends are noted once per file, mixed ones on each line. */
function lineEndsOf(hunks: readonly Hunk[]): LineEnds {
  let [lf, crlf] = [false, false]
  for (const { lines } of hunks)
    for (const { text, ended } of lines) {
      if (text.endsWith('\r')) crlf = true
      else if (ended) lf = true
      if (lf && crlf) return 'mixed'
    }
  return crlf ? 'crlf' : 'lf'
}
