import type { Screen, Signals } from '../../../../domain/terminal/screen.ts'
import type { Prompt, Verdict } from '../../../../domain/terminal/verdict.ts'
import type { Clock } from '../../../../lib/clock.ts'

/** A prompt on a terminal, this one time. The same words later are another occurrence, with another id. */
export type OpenPrompt = Prompt & {
  id: string
  since: string
  /** How far the output went when it was seen. */
  offset: number
}

export type Mode = { echo: boolean; canonical: boolean }

/** What the kernel says of the program in the foreground; as `probeForeground` gives it. */
export type Foreground = {
  pid: number
  program: string
  reading: 'read' | 'poll' | 'no'
  /** Changes whenever the process has run. */
  mark: string
  /** How many bytes it has written so far, where it reads a line. */
  wrote?: string | null
  /** All that was printed until it was seen is on the screen. */
  complete?: boolean
}

export type WatchState = {
  state: 'working' | 'waiting' | 'exited'
  /** Set exactly where it waits. */
  prompt: OpenPrompt | null
  /** The last look itself saw the prompt, or that nothing moved where it stands. */
  stands: boolean
  /** What the last look said, before it was weighed against what was known. */
  verdict: Verdict
  at: string
  fg: Foreground | null
  mode: Mode | null
}

/** An answer given at a keyboard. */
export type KeyboardAnswer = {
  /** As it stood when the answer was given. */
  prompt: OpenPrompt
  /** Null exactly where it is secret. */
  text: string | null
  secret: boolean
  /** Whose keyboard. */
  by: string
  responseTimeMs: number
  at: string
}

/** What came of an answer. Null: nobody can say. */
export type AnswerOutcome = { promptId: string; success: boolean | null }

export type WatchDeps = {
  /** `scrolled`: how many lines went out at the top so far. */
  emulator: { screen(): Screen; readonly scrolled?: number }
  clock: Clock
  /** Where we may not look ourselves, another looks for us. */
  probe(): Foreground | null | Promise<Foreground | null>
  modes(): Promise<Mode | null>
  /** The program runs elsewhere: what the kernel says is about ssh itself. */
  remote: boolean
  /** False: nobody tells us what is typed, as with a followed log. */
  keyboard?: boolean
  detect(screen: Screen, signals: Signals): Verdict
  promptKey(prompt: Prompt): string
  /** Measures what a look costs, so that looks take no more than their share; the process's own clock unless said. */
  spentMs?: () => number
  report(state: WatchState): void
  entered(input: KeyboardAnswer): void
  outcome(outcome: AnswerOutcome): void
}

export type Watch = {
  /** The state as of the last look. */
  readonly state: WatchState
  /** Once the emulator holds the bytes; `offset` is where the output ends now. Line ends alone are the echo of Enter. */
  printed(bytes: number, offset: number, onlyEnds?: boolean): void
  /** In the order in which keys and output met at the terminal. */
  typed(bytes: Uint8Array, by: string): void
  resized(): void
  /** Once the last byte was printed. */
  exited(code: number | null): void
  /** Looks afresh. */
  now(): Promise<WatchState>
  [Symbol.dispose](): void
}
