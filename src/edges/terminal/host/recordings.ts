import type {
  Printed,
  ScreenFormat,
  SearchAnswer,
  SearchQuery,
  Updates,
  UpdatesFormat,
} from '../../../app/terminals.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import { once } from 'node:events'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { castOf, type CastVersion } from '../recording/cast.ts'
import { createPlainLines } from '../recording/plain-lines.ts'
import { readRecording, type Part, type ReadAnswer } from '../recording/read.ts'
import type { RecordingMatches as Found, SearchInput } from '../recording/search.ts'
import { listSegments } from '../recording/segment.ts'
import { SessionId as Id } from '../../../domain/session/schema.ts'
import { iso } from '../../../lib/clock.ts'
import type { LiveTerminal } from './live-terminal.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import { liveOf } from '../recording/live.ts'

type RecordedScreen = { screen: string; offset: number; cols: number; rows: number }

/** Reads recordings; every reader has its own position (T2). */
export type Recordings = {
  cursor(epoch: number, offset: number): string
  updates(
    id: SessionId,
    input: { cursor: string | null; maxLines: number; format: UpdatesFormat },
  ): Promise<Result<Updates>>
  printed(
    id: SessionId,
    input: { cursor: string | null; maxLines: number },
  ): Promise<Result<Omit<Updates, 'text'> & { lines: Printed[] }>>
  live(id: SessionId, from: number, signal: AbortSignal): ReadableStream<Uint8Array>
  cast(id: SessionId, version: CastVersion): Promise<Result<ReadableStream<Uint8Array>>>
  lastScreen(id: SessionId, terminal: Terminal, format: ScreenFormat): Promise<Result<RecordedScreen>>
  search(ids: readonly SessionId[], query: SearchQuery): Promise<Result<SearchAnswer>>
  /** Bytes in the recording of a terminal that is over. */
  size(id: SessionId): Promise<number>
}

type Deps = {
  directoryOf(id: string): string
  find(id: string): LiveTerminal | null
  readers(live: LiveTerminal): void
}

const mostBytes = 1024 * 1024
const lastBytes = 256 * 1024

export function createRecordings({ directoryOf, find, readers }: Deps): Recordings {
  /** However many search at once, one thread does. */
  const searches = createSerialQueue()

  const cursor = (epoch: number, offset: number) => `${epoch}:${offset}`
  const endOf = async (id: SessionId) => find(id)?.recorded ?? (await sizeOf(directoryOf(id)))

  async function piece(id: SessionId, given: { cursor: string | null; maxLines: number }): Promise<Result<ReadAnswer>> {
    const place = placeOf(given.cursor)
    if (!place) return fail(badCursor)
    try {
      return ok(await readRecording(directoryOf(id), { ...place, maxBytes: mostBytes, maxLines: given.maxLines }))
    } catch (error) {
      return fail(unreadable(id, error))
    }
  }

  return {
    cursor,
    async updates(id, { format, ...input }) {
      const read = await piece(id, input)
      if (!read.ok) return read
      const { text, to, epoch, truncated, hasMore } = read.value
      const shown = format === 'ansi' ? text : plainText(text)
      return ok({ text: shown, cursor: cursor(epoch, to), epoch, truncated, hasMore })
    },
    async printed(id, input) {
      const read = await piece(id, input)
      if (!read.ok) return read
      const { parts, to, epoch, truncated, hasMore } = read.value
      return ok({ lines: plainLines(parts), cursor: cursor(epoch, to), epoch, truncated, hasMore })
    },
    live(id, from, signal) {
      const live = find(id)
      const isOver = () => live === null || find(id) !== live
      return ReadableStream.from(liveBytes(from, { directory: directoryOf(id), live, isOver, readers, signal }))
    },
    async cast(id, version) {
      const segments = await listSegments(directoryOf(id))
      return segments.length === 0 ? fail(noRecording(id)) : ok(castOf(directoryOf(id), version))
    },
    async lastScreen(id, { cols, rows, sessionType }, format) {
      const to = await endOf(id)
      const directory = directoryOf(id)
      const { text } = await readRecording(directory, {
        from: Math.max(0, to - lastBytes),
        epoch: 0,
        maxBytes: lastBytes,
      })
      const { createEmulator, screenText } = await import('../emulator.ts')
      const emulator = createEmulator({ cols, rows, convertEol: sessionType === 'file' })
      await emulator.write(text)
      const screen = format === 'text' ? screenText(emulator.screen().lines) : emulator.ansi(format === 'scrollback')
      emulator.dispose()
      return ok({ screen, offset: to, cols, rows })
    },
    async search(ids, query) {
      const { since, until, query: words, regex, contextLines, maxResults } = query
      const input: SearchInput = {
        query: words,
        regex,
        contextLines,
        maxResults,
        ...(since !== null && { since: Date.parse(since) }),
        ...(until !== null && { until: Date.parse(until) }),
      }
      const found = await searches.run(() => searchApart(ids.map(directoryOf), input))
      if (!found.ok) return found
      const { matches, truncated, didYouMean } = found.value
      const shown = matches.map(({ directory, line, offset, atMs, before, after }) => ({
        sessionId: Id.parse(basename(directory)),
        line,
        offset,
        at: iso(atMs),
        before,
        after,
      }))
      return ok({ matches: shown, truncated, didYouMean })
    },
    size: endOf,
  }
}

/** In its own thread: searching hundreds of megabytes must not block anything else. */
async function searchApart(directories: readonly string[], input: SearchInput): Promise<Result<Found>> {
  const name = import.meta.url.endsWith('.ts') ? '../recording/search-worker.ts' : './search-worker.js'
  const program = fileURLToPath(new URL(name, import.meta.url))
  const worker = new Worker(program, { workerData: { directories, input }, execArgv: [], stdin: false })
  try {
    const [answer] = (await once(worker, 'message')) as [Result<Found>]
    return answer
  } finally {
    await worker.terminate()
  }
}

/** As a person would have read it: no escape sequences, and no overwritten text. */
function plainText(text: string): string {
  const lines = createPlainLines()
  const whole = [...lines.push(text, 0, 0), ...lines.rest()].map((line) => line.text).join('\n')
  return text.endsWith('\n') && whole !== '' ? `${whole}\n` : whole
}

function plainLines(parts: readonly Part[]): Printed[] {
  const lines = createPlainLines()
  const whole = parts.flatMap(({ text, atMs }) => lines.push(text, 0, atMs))
  return [...whole, ...lines.rest()].map(({ text, atMs }) => ({ line: text, at: iso(atMs) }))
}

async function sizeOf(directory: string): Promise<number> {
  const last = (await listSegments(directory)).at(-1)
  if (!last) return 0
  const { to } = await readRecording(directory, { from: last.start, epoch: 0, maxBytes: Number.MAX_SAFE_INTEGER })
  return to
}

function placeOf(cursor: string | null): { from: number; epoch: number } | null {
  if (cursor === null) return { from: 0, epoch: 0 }
  const [, epoch, from] = /^(\d{1,9}):(\d{1,15})$/.exec(cursor) ?? []
  return epoch === undefined || from === undefined ? null : { epoch: Number(epoch), from: Number(from) }
}

const badCursor = {
  kind: 'invalid' as const,
  code: 'invalid_cursor',
  message: 'Unknown cursor.',
  hint: 'Use the cursor of the last response, or leave it out to start from the beginning.',
}

const unreadable = (id: string, error: unknown) => ({
  kind: 'unavailable' as const,
  code: 'file_read_error',
  message: `The recording of ${id} can't be read: ${error instanceof Error ? error.message : String(error)}`,
})

const noRecording = (id: string) => ({
  kind: 'not_found' as const,
  code: 'no_recording',
  message: `${id} has no recording, or it has been deleted.`,
})

type LiveReading = {
  directory: string
  /** Null if it is no longer watched. */
  live: LiveTerminal | null
  isOver(): boolean
  /** Somebody begins, or ceases, to read along. */
  readers(live: LiveTerminal): void
  signal: AbortSignal
}

const lookMs = 1000
const encoder = new TextEncoder()

/** What a terminal prints from an offset on: from memory for a reader that keeps up, otherwise from the recording. */
async function* liveBytes(from: number, deps: LiveReading): AsyncGenerator<Uint8Array, void, void> {
  const { live, signal } = deps
  if (live) {
    live.readers += 1
    deps.readers(live)
  }
  try {
    yield* live ? followed(from, live, deps) : encoded(from, deps)
  } finally {
    if (live) {
      live.readers -= 1
      deps.readers(live)
    }
  }

  async function* followed(
    start: number,
    terminal: LiveTerminal,
    { isOver }: LiveReading,
  ): AsyncGenerator<Uint8Array, void, void> {
    let offset = start
    while (!signal.aborted) {
      const known = terminal.grew.count()
      const isLast = isOver()
      const piece = terminal.recent.at(offset)
      if (piece) {
        yield piece
        offset += piece.length
      } else if (offset < terminal.recorded || isLast) {
        for await (const { at, bytes } of read(offset, deps)) {
          yield bytes
          offset = at + bytes.length
          if (terminal.recent.at(offset)) break
        }
        if (isLast && !terminal.recent.at(offset)) return
      } else await terminal.grew.after(known, lookMs, signal)
    }
  }
}

async function* encoded(from: number, deps: LiveReading): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes } of read(from, deps)) yield bytes
}

async function* read(from: number, { directory, live, isOver, signal }: LiveReading) {
  const wake = live?.grew ?? createWakeSignal()
  for await (const { offset, text } of liveOf(directory, from, { wake, ended: isOver, signal }))
    if (text !== '') yield { at: offset, bytes: encoder.encode(text) }
}
