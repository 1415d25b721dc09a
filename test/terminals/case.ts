import type { Account } from './account.ts'
import type { Place } from './place.ts'

export type PromptType = 'password' | 'yes_no' | 'choice' | 'path' | 'text' | 'command' | 'unknown'

/** What a program is doing once its screen shows something; this is the truth that verdicts are held against. */
export type Moment = {
  shows: RegExp
  /**
   * waiting: it can't go on before somebody types. working: it goes on by itself. either: people differ about it, so it
   * is shown and not counted.
   */
  is: 'waiting' | 'working' | 'exited' | 'either'
  type?: PromptType | readonly PromptType[]
  secret?: boolean
  prompt?: RegExp
  /** What is typed then: a line, or single keys. */
  line?: string
  keys?: readonly string[]
}

/** Where one case runs. */
export type Spot = { place: Place; cwd: string; account: Account }

/** A real program in a real terminal, from its start. */
export type Case = {
  name: string
  /** The executable that is measured. */
  program: string
  /** Others that must be there. */
  needs?: readonly string[]
  /** Takes keys itself: the terminal is not in line mode at the first moment. Checked. */
  raw?: true
  /** On the far side of ssh; `host` is a name in the place's ssh configuration. */
  ssh?: { host: string; command: readonly string[] }
  command?: (spot: Spot) => string[]
  /** Before it starts. */
  prepare?: (spot: Spot) => void
  /** What it prints looks like a prompt, and it goes on by itself. */
  talks?: true
  /** Needs the far side, though it is started as any program. */
  far?: true
  /** Needs an account with a password, which only root can make. */
  account?: true
  moments: readonly Moment[]
}

export const sh = (script: string) => (): string[] => ['bash', '--norc', '-c', script]

/** Prints what looks like a prompt and goes on by itself. */
export const works = (program: string, shows: RegExp, command: Case['command'], more: Partial<Case> = {}): Case => ({
  name: `${program} prints "${shows.source.replaceAll('\\', '')}" and works on`,
  program,
  talks: true,
  ...(command && { command }),
  moments: [{ shows, is: 'working' }],
  ...more,
})
