import type { Hunk } from './diff-model.ts'

export type LineEnds = 'lf' | 'crlf' | 'mixed'

/** Consistent line ends are noted once per file, mixed ones on each line. */
export function lineEndsOf(hunks: readonly Hunk[]): LineEnds {
  let [lf, crlf] = [false, false]
  for (const { lines } of hunks)
    for (const { text, ended } of lines) {
      if (text.endsWith('\r')) crlf = true
      else if (ended) lf = true
      if (lf && crlf) return 'mixed'
    }
  return crlf ? 'crlf' : 'lf'
}
