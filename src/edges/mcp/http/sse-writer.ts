/** Slow readers are cut off at this many unsent bytes, and may resume. */
const mostUnsent = 8 * 1024 * 1024

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** One response body of server-sent events. */
export type SseWriter = {
  readonly body: ReadableStream<Uint8Array>
  readonly open: boolean
  write(text: string): void
  /** Sent periodically, so that no proxy closes an idle stream. */
  keepAlive(): void
  end(): void
}

/** `signal` aborts when the reader is gone, also before it started reading. */
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
    // Only bytes already queued count: one large message is not the reader's fault.
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
