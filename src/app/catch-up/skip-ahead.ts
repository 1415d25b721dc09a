import type { SessionId } from '../../domain/session/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { Terminals } from '../terminals.ts'
import { item, type Item } from './item.ts'
import { itemsOfOutput } from './output.ts'

/** This many lines at the end are read one by one. */
const lastLines = 1000
const mostErrors = 100
const linesOfTrace = 5

/** Candidates for errors; their severity is decided afterwards. */
const errorLike = [
  'error|exception|traceback|fatal|fail(?:ed|ure)|abort|denied|refused|cannot|can.t |could ?n.t|could not|unable to',
  'not found|no such file|undefined reference|err!|^e: |critical|panic|out of memory|oom|segfault|segmentation|core dumped',
].join('|')

export const offsetOf = (cursor: string): number => Number(/\d+$/.exec(cursor)?.[0] ?? Number.MAX_SAFE_INTEGER)

type OutputSpan = { sessionId: SessionId; since: string | null; from: number; to: number; actor: Actor }

/** Errors printed between two offsets; if there are many, the newest. */
export async function errorsBetween(
  terminals: Pick<Terminals, 'search'>,
  { sessionId, since, from, to, actor }: OutputSpan,
): Promise<Item[]> {
  const query = { query: `(?i)${errorLike}`, regex: true, sessionId, since, until: null }
  const found = await terminals.search({ ...query, contextLines: linesOfTrace, maxResults: mostErrors }, actor)
  // An error inside the trace of another was reported with it.
  let told = from
  return (found.ok ? found.value.matches : []).toReversed().flatMap(({ line, at, after, offset }) => {
    if (offset < told || offset >= to) return []
    const [error] = itemsOfOutput([{ line, at }, ...after.map((text) => ({ line: text, at }))], sessionId)
    if (error?.kind !== 'error') return []
    told = offset + Buffer.byteLength([line, ...error.context].join('\n'))
    return [error]
  })
}

/**
 * Skips from a cursor with much output after it to the last lines, which matter most. Of the output in between, only
 * errors are reported. Null if there is not that much output.
 */
export async function skipAhead(
  terminals: Pick<Terminals, 'search'>,
  { sessionId, cursor, actor }: { sessionId: SessionId; cursor: string; actor: Actor },
): Promise<{ items: Item[]; cursor: string } | null> {
  const query = { query: String.raw`\S`, regex: true, sessionId, since: null, until: null, contextLines: 0 }
  const last = await terminals.search({ ...query, maxResults: lastLines }, actor)
  const first = last.ok && last.value.matches.length === lastLines ? last.value.matches.at(-1) : undefined
  const from = offsetOf(cursor)
  if (!first || first.offset <= from) return null
  const errors = await errorsBetween(terminals, { sessionId, since: null, from, to: first.offset, actor })
  const text = `${sizeOf(first.offset - from)} of output; only errors are listed here`
  const skipped = item({ at: errors[0]?.at ?? first.at, sessionId, severity: 'low', kind: 'output', text })
  return { items: [skipped, ...errors], cursor: cursor.replace(/\d+$/, String(first.offset)) }
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
