import type { Clock } from '../../../lib/clock.ts'

const quietMs = 300
const longestMs = 10_000

/** Some agents answer `session/load` before they replay the conversation. Silence is the only sign of its end. */
export type Replay = { heard(): void; over(isGone: () => boolean): Promise<void> }

export function createReplay(clock: Clock): Replay {
  let last = 0
  return {
    heard() {
      last = clock.now()
    },
    async over(isGone) {
      const latest = clock.now() + longestMs
      last = clock.now()
      while (clock.now() < Math.min(last + quietMs, latest) && !isGone())
        await new Promise<void>((resolve) => clock.at(last + quietMs, resolve))
    },
  }
}
