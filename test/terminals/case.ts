import type { Account } from './account.ts'
import type { Place } from './place.ts'

export type PromptType = 'password' | 'yes_no' | 'choice' | 'path' | 'text' | 'command' | 'unknown'

/** What a program is doing once its screen shows something: the truth that verdicts are compared with. */
export type Moment = {
  shows: RegExp
  /**
   * waiting: it can't continue before someone types. working: it continues on its own. either: people disagree, so it
   * is shown and not counted.
   */
  is: 'waiting' | 'working' | 'exited' | 'either'
  type?: PromptType | readonly PromptType[]
  secret?: boolean
  prompt?: RegExp
  /** The input then: a line, or single keys. */
  line?: string
  keys?: readonly string[]
}

/** Where one case runs. */
export type Spot = { place: Place; cwd: string; account: Account }

/** A real program in a real terminal, from its start. */
export type Case = {
  name: string
  /** The measured executable. */
  program: string
  /** Others that must be installed. */
  needs?: readonly string[]
  /** Reads keys itself: the terminal is not in line mode at the first moment. Checked. */
  raw?: true
  /** On the far side of ssh; `host` is a name in the test's ssh configuration. */
  ssh?: { host: string; command: readonly string[] }
  command?: (spot: Spot) => string[]
  /** Before it starts. */
  prepare?: (spot: Spot) => void
  /** Its output looks like a prompt, and it continues on its own. */
  talks?: true
  /** Needs the far side, although it is started like any program. */
  far?: true
  /** Needs an account with a password, which only root can create. */
  account?: true
  moments: readonly Moment[]
}

export const sh = (script: string) => (): string[] => ['bash', '--norc', '-c', script]

/** Prints what looks like a prompt and continues on its own. */
export const works = (program: string, shows: RegExp, command: Case['command'], more: Partial<Case> = {}): Case => ({
  name: `${program} prints "${shows.source.replaceAll('\\', '')}" and works on`,
  program,
  talks: true,
  ...(command && { command }),
  moments: [{ shows, is: 'working' }],
  ...more,
})
