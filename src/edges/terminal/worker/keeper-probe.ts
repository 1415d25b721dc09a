import { setTimeout as pause } from 'node:timers/promises'
import type { Opening } from '../protocol.ts'
import type { Foreground } from './watch/types.ts'

type KeeperProbeResult = Foreground & { to: number }

/**
 * What runs in the foreground, as the keeper sees it: the ancestor may look where others may not, and knows what was
 * printed until then. The result counts only when all of that is on our screen.
 */
export type KeeperProbe = {
  /** The local process is only the connection to the program (ssh). */
  readonly remote: boolean
  probe(): Promise<Foreground | null>
  probed(n: number, foreground: KeeperProbeResult | null): void
}

const patienceMs = 500
const attempts = 4
const betweenMs = 5

export function createKeeperProbe(
  source: Opening['source'],
  readTo: () => number,
  ask: (n: number) => void,
): KeeperProbe {
  const waiting = new Map<number, (foreground: KeeperProbeResult | null) => void>()
  let last = 0

  function look(): Promise<KeeperProbeResult | null> {
    last += 1
    const n = last
    return new Promise((resolve) => {
      const late = setTimeout(() => settle(null), patienceMs)
      const settle = (foreground: KeeperProbeResult | null) => {
        clearTimeout(late)
        waiting.delete(n)
        resolve(foreground)
      }
      waiting.set(n, settle)
      ask(n)
    })
  }

  return {
    remote: source.kind === 'pty' && source.remote,
    async probe() {
      if (source.kind === 'file') return null
      for (let turn = 0; ; turn += 1) {
        const seen = await look()
        if (!seen) return null
        if (seen.to <= readTo()) return { ...seen, complete: true }
        // More was printed than has arrived here: the program is working.
        if (turn === attempts) return { ...seen, reading: 'no' }
        await pause(betweenMs * (turn + 1))
      }
    },
    probed: (n, foreground) => waiting.get(n)?.(foreground),
  }
}
