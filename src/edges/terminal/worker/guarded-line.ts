import { aboutSecrets, secretWords } from '../../../domain/terminal/detect/understand/words/secret.ts'
import { understand } from '../../../domain/terminal/detect/understand/understand.ts'
import type { Screen } from '../../../domain/terminal/screen.ts'
import type { Capture } from '../capture/capture.ts'
import type { WatchState } from './watch/types.ts'

/**
 * Decides for each line that is typed whether it is a secret: from its first key, and until the program has moved on.
 * A person may type before the prompt is recognised, and before the program turns the echo off; doubt is a secret.
 */
export type GuardedLine = {
  /** Before the watch gets the keys, which end at the first Enter. `secret`: the sender said so. */
  typed(keys: Uint8Array, secret: boolean): TypedKeys
  /** The watch sees something else now. */
  reported(): void
  printed(bytes: number): void
}

/** `isSecret`: they must not be kept. `line`: the number of the line they belong to. */
type TypedKeys = { isSecret: boolean; line: number }

type Deps = {
  capture: Pick<Capture, 'guard' | 'unguard' | 'echo'>
  screen(): Screen
  state(): WatchState
  /** The program has read what was typed so far, and showed nothing. */
  isSilent(): boolean
}

/** A program that printed this much since Enter no longer asks. */
const movedOnAfter = 4096
const longestLine = 1024
const nothing = new Uint8Array()

export function createGuardedLine({ capture, screen, state, isSilent }: Deps): GuardedLine {
  /** The line that is being typed. */
  let line: { keys: number[]; isDoubtful: boolean } | null = null
  let isGuarded = false
  /** A line was entered, and nobody knew for what. */
  let isPending = false
  /** Printed since the guarded line was entered. */
  let printedSince = 0

  function release(): void {
    isGuarded = false
    isPending = false
    capture.unguard()
  }

  const isSecretNow = (): boolean => state().prompt?.secret === true

  /** Nothing asks here that anyone could read: typed ahead. */
  function isTypedAhead(now: Screen): boolean {
    return state().prompt === null && !now.alternate && now.cursor.col === 0 && cursorLine(now).trim() === ''
  }

  return {
    typed(keys, secret) {
      const number = capture.echo.lines + 1
      let shown: Uint8Array | undefined
      if (line === null) {
        const now = screen()
        const isSecret = secret || isSecretNow() || asksForSecret(now)
        if (isGuarded && !isSecret && printedSince > movedOnAfter) release()
        isGuarded ||= isSecret
        line = { keys: [], isDoubtful: !isGuarded && isTypedAhead(now) }
        capture.echo.began()
      } else if (!isGuarded && (secret || isSecretNow())) {
        isGuarded = true
        if (!line.isDoubtful) shown = Uint8Array.from(line.keys)
      }
      if (isGuarded) capture.guard(keys, { sure: true, ...(shown && { shown }) })
      else if (line.isDoubtful) capture.guard(keys, { sure: false })
      // Kept for a guarded line, too: if the guard is dropped halfway, the whole line is known.
      for (const key of keys) if (line.keys.length < longestLine) line.keys.push(key)
      if (keys.includes(13) || keys.includes(10)) {
        // What comes together with Enter was not read yet.
        const isHidden = keys.length === 1 && isSilent()
        capture.echo.entered(isEditor(state(), screen()) ? null : Uint8Array.from(line.keys), isHidden)
        isPending ||= line.isDoubtful && !isGuarded
        line.keys.fill(0)
        line = null
        printedSince = 0
      }
      return { isSecret: isGuarded, line: number }
    },
    reported() {
      const { prompt } = state()
      if (prompt?.secret) {
        // Keys typed ahead of it are on its line.
        if (isPending || line?.isDoubtful) capture.guard(nothing, { sure: true })
        if (isPending || line) isGuarded = true
        isPending = false
        return
      }
      if (state().state === 'exited' || (prompt && (line === null || !asksForSecret(screen())))) {
        if (isGuarded || isPending || line?.isDoubtful) release()
        if (line?.isDoubtful) line.isDoubtful = false
      }
    },
    printed(bytes) {
      printedSince += bytes
    },
  }
}

/** A full-screen program that takes commands: Enter is an ordinary key. */
const isEditor = ({ prompt }: WatchState, { alternate }: Screen): boolean => alternate && prompt?.type === 'command'

/** By its text alone: the mode of the terminal is not known in time. */
export function asksForSecret(screen: Screen): boolean {
  const line = cursorLine(screen)
  if (asks(line)) return true
  const framed = isFramed(screen.lines[screen.cursor.row]?.text ?? '')
  // The field of a question is below it, perhaps in a frame.
  if (framed || onlyMarks.test(line)) {
    const reach = framed ? fieldReach : 1
    const above = screen.lines.slice(Math.max(0, screen.cursor.row - reach), screen.cursor.row)
    for (const { text } of above) {
      if (framed ? isFramed(text) && names(text.replaceAll(frames, ' ')) : asks(text)) return true
    }
  }
  return false
}

const fieldReach = 8
const frames = /[\u2500-\u257f|]/gu
const onlyMarks = /^[\s\u2500-\u257f|>❯›»▸→]*$/u
const isFramed = (row: string): boolean => /^\s*[│┃║|].*[│┃║|]\S*\s*$/u.test(row)
const names = (text: string): boolean => secretWords.test(text) && !aboutSecrets.test(text)

const asks = (line: string): boolean =>
  line.trim() !== '' &&
  understand({
    text: line.trim(),
    line,
    above: [],
    menu: null,
    fullScreen: false,
    secretByMode: false,
    canonical: null,
    program: null,
  }).secret

/** From its start to the cursor, wrapped lines joined. */
export function cursorLine({ lines, cursor }: Screen): string {
  const above = lines.slice(0, cursor.row + 1)
  const start = above.findLastIndex(({ wrapped }) => !wrapped)
  const rows = above.slice(Math.max(0, start)).map(({ text }) => text)
  const last = rows.pop() ?? ''
  return rows.join('') + last.slice(0, cursor.col).padEnd(cursor.col)
}
