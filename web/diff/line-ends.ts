import type { Hunk } from './model.ts'

export type LineEnds = 'lf' | 'crlf' | 'mixed'

/** Where all lines end alike it is said once for the file; else each line says it. */
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
