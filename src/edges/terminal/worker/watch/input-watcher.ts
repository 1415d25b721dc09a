import type { Clock } from '../../../../lib/clock.ts'
import { iso } from '../../../../lib/clock.ts'
import { answerOf } from './answer-text.ts'
import { createKeyBuffer, type KeyBuffer } from './key-buffer.ts'
import type { Occurrence } from './prompt-identity.ts'
import { key } from './key-codes.ts'
import { createKeyScanner } from './key-scanner.ts'
import type { LogicalLine } from './screen-text.ts'
import { noModes, withLateMode, withMode, type ModesSeen } from './secrecy.ts'
import { afterPrompt, leftAtPrompt, typedBelow } from './prompt-position.ts'
import type { EnteredAnswer, Mode, TypedBy } from './types.ts'

/** An entered line, until it is known whether it may be reported. */
type PendingLine = {
  occurrence: Occurrence
  keys: KeyBuffer
  modes: ModesSeen
  moves: number
  before: string | null
  by: string
  at: number
  line: number
}

type Deps = {
  clock: Clock
  open(): Occurrence | null
  lines(): readonly LogicalLine[]
  modes(): Promise<Mode | null>
  entered(input: EnteredAnswer): void
  /** A whole line: the open prompt is answered. */
  line(occurrence: Occurrence | null): void
  interrupt(): void
}

/** Text that is not on the screen by then was hidden. */
const appearMs = 1000
const sampleMs = 100
/** More keys than this without Enter are not an answer. */
const fewKeys = 3

/** In a menu they may move the selection to an unknown place. */
const steering = new Set<number>([
  key.left,
  key.right,
  key.home,
  key.end,
  key.tab,
  key.wordLeft,
  key.wordRight,
  key.other,
])

/** In a full-screen program that takes commands, Enter is an ordinary key. */
const isEditor = ({ alternate, prompt }: Occurrence) => alternate && prompt.type === 'command'

/** Follows the keys of a terminal and reports what was answered, never a secret. */
export function createInputWatcher(deps: Deps) {
  const scanner = createKeyScanner()
  let keys = createKeyBuffer()
  let modes = noModes
  let moves = 0
  let by = ''
  /** The number of the line that is typed. */
  let number = 0
  let pressedAt = 0
  let sampledAt = Number.NEGATIVE_INFINITY
  let samples = 0
  let given: PendingLine | null = null
  let deadline: Disposable | null = null

  const secretNow = () => {
    const prompt = deps.open()?.prompt
    return modes.hidden || (prompt !== undefined && (prompt.secret || prompt.type === 'password'))
  }

  /** The mode of the terminal may have changed since the prompt was seen. */
  function sample(): void {
    const now = deps.clock.now()
    if (now - sampledAt < sampleMs) return
    sampledAt = now
    samples += 1
    const line = keys
    void deps
      .modes()
      .catch(() => null)
      .then((mode) => {
        samples -= 1
        if (given?.keys === line) given.modes = withLateMode(given.modes, mode)
        else if (keys === line) seen(mode)
        resolve(false)
      })
  }

  function seen(mode: Mode | null): void {
    modes = withMode(modes, mode)
    if (secretNow()) keys.drop()
  }

  function nextLine(): void {
    keys = createKeyBuffer()
    modes = noModes
    moves = 0
    sampledAt = Number.NEGATIVE_INFINITY
  }

  function give(occurrence: Occurrence, before: string | null): void {
    resolve(true)
    given = { occurrence, keys, modes, moves, before, by, at: pressedAt, line: number }
    nextLine()
    deadline = deps.clock.at(deps.clock.now() + appearMs, () => resolve(true))
  }

  function resolve(final: boolean, after: string | null = null): void {
    if (!given || (samples > 0 && !final)) return
    const { occurrence, keys: held, at } = given
    const { prompt } = occurrence
    const left = after ?? (final ? leftAtPrompt(deps.lines(), occurrence.stand) : null)
    const answer = answerOf({ ...given, prompt, keys: held.view(), dropped: held.dropped, after: left, final })
    if (!answer) return
    held.clear()
    deadline?.[Symbol.dispose]()
    const told = given
    given = null
    if (answer === 'nothing') return
    const responseTimeMs = Math.max(0, at - Date.parse(prompt.since))
    deps.entered({ prompt, ...answer, by: told.by, responseTimeMs, at: iso(at), line: told.line })
  }

  function pressed(code: number): void {
    if (code === key.interrupt) {
      keys.clear()
      nextLine()
      return deps.interrupt()
    }
    const finished = code === key.finish && modes.shown && !modes.raw
    if (code === key.enter || finished) return lineEnd(finished)
    if (secretNow()) keys.drop()
    keys.add(code)
    if (code === key.up) moves -= 1
    if (code === key.down) moves += 1
    if (steering.has(code)) moves = Number.NaN
    sample()
  }

  function lineEnd(finished: boolean): void {
    const open = deps.open()
    // End of input without typed text is not an answer.
    if (open && !(finished && keys.count === 0) && !isEditor(open)) {
      if (secretNow()) keys.drop()
      give(open, keys.dropped ? null : afterPrompt(deps.lines(), open.stand) || typedBelow(deps.lines(), open.stand))
    } else {
      keys.clear()
      nextLine()
    }
    deps.line(open)
    resolve(false)
  }

  return {
    /** Returns the number of keys. `line`: the line they belong to. */
    typed(bytes: Uint8Array, { by: who, secret = false, line = 0 }: TypedBy): number {
      if (secret) modes = { ...modes, hidden: true }
      by = who
      number = line
      pressedAt = deps.clock.now()
      let count = 0
      scanner.scan(bytes, (code) => {
        count += 1
        pressed(code)
      })
      return count
    },
    /** A look at the open prompt: the mode of the terminal, and the current selection. */
    looked(mode: Mode | null, fresh: boolean): void {
      moves = 0
      if (fresh && keys.count === 0) modes = noModes
      seen(mode)
    },
    /** The screen has changed since a line was entered. */
    changed(lines: readonly LogicalLine[], asked: boolean): void {
      if (given) resolve(asked, leftAtPrompt(lines, given.occurrence.stand))
    },
    /** A prompt is gone without Enter. True if single keys are read and were the answer. */
    gone(occurrence: Occurrence): boolean {
      const few = keys.characters && keys.count <= fewKeys
      if (!few || !modes.raw) return false
      if (occurrence.prompt.type === 'command') {
        keys.clear()
        nextLine()
        return false
      }
      give(occurrence, null)
      resolve(true)
      return true
    },
    finish: () => resolve(true),
    [Symbol.dispose](): void {
      deadline?.[Symbol.dispose]()
      given?.keys.clear()
      keys.clear()
      given = null
    },
  }
}
