import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../lib/log.ts'
import { fail, type Result } from '../../../lib/result.ts'
import type { Order, Question, Report } from '../protocol.ts'

/** The worker thread does the work for every byte, so that the main thread stays free. */
export type WorkerClient = {
  tell(order: Exclude<Order, { op: 'ask' }>): void
  ask<T>(id: string, question: Question): Promise<Result<T>>
  /** Bytes that were handed over and not yet recorded. */
  close(): Promise<void>
}

export function startWorker(deps: { log: Logger; hear(report: Report): void; died(): void }): WorkerClient {
  const { log } = deps
  const worker = new Worker(entry(), {
    execArgv: [],
    stdin: false,
    // What flows through makes short-lived text: freed early, it keeps the process small. The less a heap may ever have, the
    // less it grows before it is collected; this much is enough for many hundreds of terminals with all their lines.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 },
  })
  const waiting = new Map<number, (answer: Result<unknown>) => void>()
  let last = 0
  let isClosing = false
  worker.on('message', (report: Report) => {
    if (report.op !== 'answer') {
      deps.hear(report)
      return
    }
    waiting.get(report.n)?.(report.answer)
    waiting.delete(report.n)
  })
  worker.on('error', (error) =>
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'the thread for terminals failed'),
  )
  const gone = Promise.withResolvers<void>()
  worker.on('exit', () => {
    for (const settle of waiting.values()) settle(fail(goneFault))
    waiting.clear()
    gone.resolve()
    if (!isClosing) deps.died()
  })

  const send = (order: Order) => {
    // Whole buffers change hands; a part of a larger one is copied.
    const own = 'bytes' in order && order.bytes.byteLength === order.bytes.buffer.byteLength ? [order.bytes.buffer] : []
    worker.postMessage(order, own as ArrayBuffer[])
  }
  return {
    tell: send,
    ask<T>(id: string, question: Question) {
      last += 1
      const n = last
      const answer = new Promise<Result<unknown>>((resolve) => waiting.set(n, resolve))
      send({ op: 'ask', n, id, question })
      // The worker returns what the question is about.
      return answer as Promise<Result<T>>
    },
    async close() {
      isClosing = true
      worker.postMessage({ op: 'close', id: '' } satisfies Order)
      // A full disk may keep it from writing: what it could not write is still in the keeper.
      const late = setTimeout(() => void worker.terminate(), patienceMs)
      await gone.promise
      clearTimeout(late)
    },
  }
}

const patienceMs = 5000

const goneFault = {
  kind: 'unavailable' as const,
  code: 'terminals_unavailable',
  message: 'The thread that watches terminals has ended and is being restarted.',
  hint: 'Try again in a moment.',
}

function entry(): URL | string {
  const name = import.meta.url.endsWith('.ts') ? '../worker/main.ts' : './terminal-worker.js'
  return fileURLToPath(new URL(name, import.meta.url))
}
