import { isList, jsonOrNull } from '../../../lib/parse-json.ts'

/** One event of a segment, as written in its line. */
export type CastEvent =
  | { readonly kind: 'o'; readonly seconds: number; readonly text: string }
  | { readonly kind: 'r'; readonly seconds: number; readonly cols: number; readonly rows: number }

/** The line in parts: joining would copy a long text. */
export const outputLine = (ms: number, text: string): string[] => [outputStart(ms), JSON.stringify(text), ']\n']

/** The part before the text. */
export const outputStart = (ms: number): string => `[${ms / 1000},"o",`

export const resizeLine = (ms: number, size: { cols: number; rows: number }): string =>
  `[${ms / 1000},"r","${size.cols}x${size.rows}"]\n`

/** Null if the line is not one of our events: incomplete, or written by something else. */
export function parseEvent(line: string): CastEvent | null {
  const [seconds, kind, data] = jsonOrNull(line, isList) ?? []
  if (typeof seconds !== 'number' || typeof data !== 'string') return null
  if (kind === 'o') return { kind, seconds, text: data }
  const size = kind === 'r' ? /^(\d{1,5})x(\d{1,5})$/.exec(data) : null
  return size ? { kind: 'r', seconds, cols: Number(size[1]), rows: Number(size[2]) } : null
}
