import type { App } from '../../app/app.ts'
import type { Logger } from '../../lib/log.ts'
import { failed, json } from './respond.ts'

/** Requests that are being answered: none ends without an answer, and the server ends after the last of them. */
export type InFlight = {
  run(requestId: string, work: () => Promise<Response>): Promise<Response>
  /** Says that the server stops: whoever waits for something answers now. */
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
        deps.log.error({ requestId, code: refusal.code, error: String(error) }, 'the database does not answer')
        return failed(refusal, requestId)
      }
      // A bug answers too, without telling what it was.
      const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
      deps.log.error({ requestId, error: told }, 'request failed')
      const hint = `Look for ${requestId} in its log.`
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
