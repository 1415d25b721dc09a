import type { Clock } from '../../../../lib/clock.ts'
import type { Occurrence } from './identity.ts'
import { judgeOutcome, type Sequel } from './outcome.ts'
import type { LogicalLine } from './screen-text.ts'
import type { Outcome } from './types.ts'

const goingOnMs = 2000
/** Who checks a password takes their time to say no. */
const secretMs = 5000
const longestMs = 30_000

type Open = { occurrence: Occurrence; at: number; secret: boolean; printed: number; timer: Disposable | null }

type Deps = {
  clock: Clock
  outcome(outcome: Outcome): void
  /** Bytes printed so far. */
  printed(): number
  /** The kernel says that the program is at work. */
  busy(): boolean
  lines(): readonly LogicalLine[]
}

/** Follows what comes of the last answer. */
export function createAftermath({ clock, outcome, printed, busy, lines }: Deps) {
  let open: Open | null = null

  function settle(sequel: Sequel): void {
    if (!open) return
    const { occurrence, timer } = open
    timer?.[Symbol.dispose]()
    open = null
    const answered = { type: occurrence.prompt.type, stand: occurrence.stand }
    outcome({ promptId: occurrence.prompt.id, success: judgeOutcome(answered, sequel, lines()) })
  }

  function arm(): void {
    if (!open) return
    const ms = open.secret ? secretMs : goingOnMs
    open.timer = clock.at(clock.now() + ms, () => {
      if (!open) return
      const stirred = printed() > open.printed || busy()
      if (stirred || clock.now() - open.at >= longestMs) settle({ kind: 'time', stirred })
      else arm()
    })
  }

  return {
    answered(occurrence: Occurrence, secret: boolean): void {
      settle({ kind: 'time', stirred: true })
      open = { occurrence, at: clock.now(), secret, printed: printed(), timer: null }
      arm()
    },
    asked(key: string): void {
      settle({ kind: 'prompt', same: key === open?.occurrence.key })
    },
    exited(code: number | null): void {
      settle({ kind: 'exit', code })
    },
    get pending(): boolean {
      return open !== null
    },
    [Symbol.dispose](): void {
      open?.timer?.[Symbol.dispose]()
      open = null
    },
  }
}
