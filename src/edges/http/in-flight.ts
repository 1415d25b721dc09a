import type { App } from '../../app/app.ts'
import type { Logger } from '../../lib/log.ts'
import { failed, json } from './respond.ts'

/** Running requests: each gets a response, and the server stops after the last one. */
export type InFlight = {
  run(requestId: string, work: () => Promise<Response>): Promise<Response>
  /** Aborted when the server stops: long polls answer at once. */
  readonly stopping: AbortSignal
  drain(): Promise<void>
}

export function createInFlight(deps: { app: App; log: Logger }): InFlight {
  const running = new Set<Promise<Response>>()
  const stop = new AbortController()

  async function answer(requestId: string, work: () => Promise<Response>): Promise<Response> {
    try {
      return await work()
    } catch (error) {
      const refusal = deps.app.refusal(error)
      if (refusal) {
        deps.log.error({ requestId, code: refusal.code, error: String(error) }, 'the database is not available')
        return failed(refusal, requestId)
      }
      // A bug: answer without details.
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
      deps.log.error({ requestId, error: stack }, 'request failed')
      const hint = `Look for ${requestId} in the server log.`
      return json({ error: { code: 'internal_error', message: internalError, hint } }, 500, {
        'x-request-id': requestId,
      })
    }
  }

  return {
    async run(requestId, work) {
      const answering = answer(requestId, work)
      running.add(answering)
      try {
        return await answering
      } finally {
        running.delete(answering)
      }
    },
    stopping: stop.signal,
    async drain() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

const internalError = 'Something went wrong inside Signalbox.'
