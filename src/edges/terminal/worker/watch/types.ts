import type { Screen, Signals } from '../../../../domain/terminal/screen.ts'
import type { Prompt, Verdict } from '../../../../domain/terminal/verdict.ts'
import type { Clock } from '../../../../lib/clock.ts'

/** One occurrence of a prompt on a terminal. The same words later are another occurrence, with another id. */
export type OpenPrompt = Prompt & {
  id: string
  since: string
  /** Where the output ended when it was seen. */
  offset: number
}

export type Mode = { echo: boolean; canonical: boolean }

/** What the kernel says about the foreground program, from `probeForeground`. */
export type Foreground = {
  pid: number
  program: string
  reading: 'read' | 'poll' | 'no'
  /** Changes whenever the process has run. */
  mark: string
  /** How many bytes it has written so far, if it reads a line. */
  wrote?: string | null
  /** It passes keys on to programs that can't be seen. */
  relays?: true
  /** Everything printed before the probe is on the screen. */
  complete?: boolean
}

export type WatchState = {
  state: 'working' | 'waiting' | 'exited'
  /** Set only while it waits. */
  prompt: OpenPrompt | null
  /** The last look saw the prompt, or saw no change around it. */
  stands: boolean
  /** The verdict of the last look alone. */
  verdict: Verdict
  at: string
  fg: Foreground | null
  mode: Mode | null
}

/** An answer given at a keyboard. */
export type KeyboardAnswer = {
  /** The prompt when it was answered. */
  prompt: OpenPrompt
  /** Null only if it is secret. */
  text: string | null
  secret: boolean
  /** Whose keyboard. */
  by: string
  responseTimeMs: number
  at: string
}

/** `isSeen`: it was on the screen, or is one of the choices. `line`: the number of its line. */
export type EnteredAnswer = KeyboardAnswer & { isSeen: boolean; line: number }

/** `secret`: the keys must not be kept. `line`: the number of their line. */
export type TypedBy = { by: string; secret?: boolean; line?: number }

/** Whether an answer was accepted. Null: unknown. */
export type AnswerOutcome = { promptId: string; success: boolean | null }

export type WatchDeps = {
  /** `scrolled`: how many lines scrolled out so far. */
  emulator: { screen(): Screen; readonly scrolled?: number }
  clock: Clock
  /** May ask the keeper, if we may not look ourselves. */
  probe(): Foreground | null | Promise<Foreground | null>
  modes(): Promise<Mode | null>
  /** The program runs elsewhere: what the kernel says is about ssh itself. */
  remote: boolean
  /** False: typing is not reported, as with a followed log. */
  keyboard?: boolean
  detect(screen: Screen, signals: Signals): Verdict
  promptKey(prompt: Prompt): string
  /** Measures the cost of a look, so that looks stay within their share. Default: CPU time of this thread. */
  spentMs?: () => number
  report(state: WatchState): void
  entered(input: EnteredAnswer): void
  outcome(outcome: AnswerOutcome): void
}

export type Watch = {
  /** The state as of the last look. */
  readonly state: WatchState
  /** After the emulator has the bytes; `offset` is where the output ends now. Line ends alone are the echo of Enter. */
  printed(bytes: number, offset: number, onlyEnds?: boolean): void
  /** In the order in which keys and output reached the terminal. */
  typed(bytes: Uint8Array, by: TypedBy): void
  resized(): void
  /** After the last byte was printed. */
  exited(code: number | null): void
  /** The program has read every key so far, waits for the next, and printed nothing since the line began. */
  readonly isSilent: boolean
  /** Looks now. */
  now(): Promise<WatchState>
  [Symbol.dispose](): void
}
