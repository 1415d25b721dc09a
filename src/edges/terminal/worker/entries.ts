import type { Clock } from '../../../lib/clock.ts'
import type { Capture } from '../capture/capture.ts'
import type { EnteredAnswer, KeyboardAnswer } from './watch/types.ts'

/** Reports entered lines in their order, each once it is known whether its program showed it: until then it may be a secret. */
export type Entries = {
  entered(answer: EnteredAnswer): void
  /** More output, or more keys, came. */
  looked(): void
  [Symbol.dispose](): void
}

type Deps = {
  echo: Pick<Capture['echo'], 'verdict' | 'judge' | 'giveUp'>
  clock: Clock
  report(answer: KeyboardAnswer): void
}

/** A terminal echoes at once; on a busy machine we hear of it later. */
const echoMs = 2000

export function createEntries({ echo, clock, report }: Deps): Entries {
  let waiting: EnteredAnswer[] = []
  let deadline: Disposable | null = null

  function looked(): void {
    for (let first = waiting[0]; first && echo.verdict(first.line) !== 'open'; first = waiting[0]) {
      waiting.shift()
      tell(first)
    }
    if (waiting.length === 0) {
      deadline?.[Symbol.dispose]()
      deadline = null
    } else {
      deadline ??= clock.at(clock.now() + echoMs, () => {
        deadline = null
        echo.giveUp(waiting[0]?.line)
        looked()
      })
    }
  }

  function tell({ isSeen, line, ...answer }: EnteredAnswer): void {
    // What was not shown is a secret, whatever the modes of the terminal say by now.
    const verdict = echo.verdict(line)
    const secret = answer.secret || verdict === 'unseen' || (!isSeen && verdict === 'hidden')
    echo.judge(line, secret)
    report(secret ? { ...answer, text: null, secret } : answer)
  }

  return {
    entered(answer) {
      if (answer.secret) echo.judge(answer.line, true)
      waiting.push(answer)
      looked()
    },
    looked,
    [Symbol.dispose]() {
      deadline?.[Symbol.dispose]()
      waiting = []
    },
  }
}

const enters = [10, 13]

/** Keys in pieces that end at Enter, so that each line is its own. */
export function upToEnters(keys: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < keys.length;) {
    const end = keys.findIndex((key, index) => index >= at && enters.includes(key))
    const next = end === -1 ? keys.length : end + 1
    pieces.push(keys.subarray(at, next))
    at = next
  }
  return pieces
}
