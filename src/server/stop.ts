import { endProcess } from '../lib/end-process.ts'

/** A request to stop the server, and what happens to its agents then. */
export type Stop = {
  readonly requested: Promise<void>
  request(agents: 'end' | 'keep'): void
  agents(): 'end' | 'keep'
}

/** Ctrl-C arrives from the terminal and again through npm: a second signal within a second is the same request. */
export function createStop(usual: 'end' | 'keep'): Stop {
  const requested = Promise.withResolvers<void>()
  let agents = usual
  let first = 0
  const onSignal = () => {
    if (first === 0) {
      first = Date.now()
      requested.resolve()
    } else if (Date.now() - first > 1000) endProcess(130)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    requested: requested.promise,
    request(wanted) {
      // Set at once: it also counts if a signal arrives before the response has left.
      agents = wanted
      setTimeout(requested.resolve, 50)
    },
    agents: () => agents,
  }
}
