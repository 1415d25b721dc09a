/** A moment of a recording: text that was printed, or another size. */
export type Moment = {
  /** In seconds, idle times cut. */
  readonly at: number
  readonly text: string
  readonly size: { readonly cols: number; readonly rows: number } | null
}

export type Timeline = {
  readonly cols: number
  readonly rows: number
  readonly moments: readonly Moment[]
  readonly duration: number
}

const longestIdle = 2

/** Reads asciicast v2, line by line; a line that is none is passed over. */
export function createTimeline(): { add(line: string): void; done(): Timeline } {
  let size = { cols: 80, rows: 24 }
  let at = 0
  let before = 0
  const moments: Moment[] = []
  return {
    add(line) {
      const read = parse(line)
      if (read === null || typeof read !== 'object') return
      if (!Array.isArray(read)) {
        const { width, height }: { width?: unknown; height?: unknown } = read
        size = sizeOf(`${Number(width)}x${Number(height)}`) ?? size
        return
      }
      const [time, kind, data] = read as unknown[]
      if (typeof time !== 'number' || typeof data !== 'string' || (kind !== 'o' && kind !== 'r')) return
      at += Math.min(longestIdle, Math.max(0, time - before))
      before = Math.max(before, time)
      if (kind === 'o') moments.push({ at, text: data, size: null })
      else moments.push({ at, text: '', size: sizeOf(data) })
    },
    done: () => ({ ...size, moments, duration: at }),
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function sizeOf(text: string): { cols: number; rows: number } | null {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? []
  const size = { cols: Number(cols), rows: Number(rows) }
  return size.cols >= 1 && size.rows >= 1 && size.cols <= 1000 && size.rows <= 1000 ? size : null
}
