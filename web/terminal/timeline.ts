import { anyJson, isList, isRecord, jsonOrNull } from '../../src/lib/parse-json.ts'

/** An entry of a recording: printed text, or a resize. */
export type TimelineMoment = {
  /** In seconds, with idle time cut. */
  readonly at: number
  /** In seconds since the recording started, idle time included. */
  readonly recorded: number
  readonly text: string
  readonly size: { readonly cols: number; readonly rows: number } | null
}

export type Timeline = {
  readonly cols: number
  readonly rows: number
  readonly moments: readonly TimelineMoment[]
  readonly duration: number
  /** Unix time in seconds; null if the recording has none. */
  readonly began: number | null
}

const longestIdle = 2

/** Reads asciicast v2 line by line; invalid lines are skipped. */
export function createTimeline(): { add(line: string): void; done(): Timeline } {
  let size = { cols: 80, rows: 24 }
  let began: number | null = null
  let at = 0
  let before = 0
  const moments: TimelineMoment[] = []
  return {
    add(line) {
      const read: unknown = jsonOrNull(line, anyJson)
      if (isRecord(read)) {
        const { width, height, timestamp } = read
        if (typeof timestamp === 'number') began = timestamp
        size = sizeOf(`${Number(width)}x${Number(height)}`) ?? size
        return
      }
      const [time, kind, data] = isList(read) ? read : []
      if (typeof time !== 'number' || typeof data !== 'string' || (kind !== 'o' && kind !== 'r')) return
      at += Math.min(longestIdle, Math.max(0, time - before))
      before = Math.max(before, time)
      if (kind === 'o') moments.push({ at, recorded: before, text: data, size: null })
      else moments.push({ at, recorded: before, text: '', size: sizeOf(data) })
    },
    done: () => ({ ...size, moments, duration: at, began }),
  }
}

/** The replay position at which output printed then is on the screen. */
export function placeOf({ moments, began }: Timeline, time: string): number {
  if (began === null) return 0
  // Recordings are dated to the second.
  const seconds = Date.parse(time) / 1000 - began + 1
  return moments.findLast(({ recorded }) => recorded <= seconds)?.at ?? 0
}

function sizeOf(text: string): { cols: number; rows: number } | null {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? []
  const size = { cols: Number(cols), rows: Number(rows) }
  return size.cols >= 1 && size.rows >= 1 && size.cols <= 1000 && size.rows <= 1000 ? size : null
}
