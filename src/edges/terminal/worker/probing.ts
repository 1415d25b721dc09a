import { probeForeground } from '../../../lib/tty-probe.ts'
import type { Opening } from '../protocol.ts'
import type { Foreground } from './watch/types.ts'

/** What runs in the foreground: seen from here where we may look, else by the keeper, which may. */
export type Probing = {
  /** What the kernel says is about the way to the program, not about the program. */
  readonly remote: boolean
  probe(): Foreground | null | Promise<Foreground | null>
  probed(n: number, foreground: Foreground | null): void
}

const patienceMs = 500

export function createProbing(source: Opening['source'], ask: (n: number) => void): Probing {
  const waiting = new Map<number, (foreground: Foreground | null) => void>()
  let last = 0
  let viaKeeper = false

  function askKeeper(): Promise<Foreground | null> {
    last += 1
    const n = last
    return new Promise((resolve) => {
      const late = setTimeout(() => settle(null), patienceMs)
      const settle = (foreground: Foreground | null) => {
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
    probe() {
      if (source.kind === 'file') return null
      const seen = viaKeeper ? null : probeForeground(source.pid, source.tty)
      if (seen) return seen
      // Once we may not look, we never may.
      viaKeeper = true
      return askKeeper()
    },
    probed: (n, foreground) => waiting.get(n)?.(foreground),
  }
}
