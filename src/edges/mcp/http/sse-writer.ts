/** Held for one reader; slow readers are cut off at this many bytes, and may come back for the rest. */
const mostUnsent = 8 * 1024 * 1024

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** One body of server-sent events while somebody reads it. */
export type SseWriter = {
  readonly body: ReadableStream<Uint8Array>
  readonly open: boolean
  write(text: string): void
  /** Every few seconds, so that nobody between takes the silence for the end. */
  keepAlive(): void
  end(): void
}

/** `signal` says that the reader is gone, also before it began to read. */
export function createSseWriter(gone: () => void, signal?: AbortSignal): SseWriter {
  const encoder = new TextEncoder()
  let open = true
  let handle: ReadableStreamDefaultController<Uint8Array> | undefined
  const over = () => {
    if (!open) return false
    open = false
    signal?.removeEventListener('abort', left)
    return true
  }
  const left = () => {
    if (!over()) return
    handle?.close()
    gone()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        handle = controller
      },
      cancel() {
        if (over()) gone()
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  )
  signal?.addEventListener('abort', left)
  const write = (text: string) => {
    if (!open || !handle) return
    // What is too much is judged by what lies there already: one large message alone is no fault of the reader's.
    if (-(handle.desiredSize ?? 0) <= mostUnsent) return handle.enqueue(encoder.encode(text))
    left()
  }
  if (signal?.aborted) queueMicrotask(left)
  return {
    body,
    get open() {
      return open
    },
    write,
    keepAlive: () => write(': still here\n\n'),
    end() {
      if (over()) handle?.close()
    },
  }
}
