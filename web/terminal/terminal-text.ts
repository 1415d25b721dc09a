import type { Detection, TerminalView } from '../../src/client/contract/terminals.ts'
import type { Signal } from '../ui/badge.tsx'
import { clip, safeText } from '../ui/safe-text.ts'

export type { Detection, TerminalView }
export type InputOutcome = 'delivered' | 'refused_stale' | 'refused_unreadable' | 'unverified'

export const inputOutcomes: Readonly<Record<InputOutcome, { words: string; isGood: boolean }>> = {
  delivered: { words: 'Typed; the program accepted it.', isGood: true },
  refused_stale: { words: 'Not typed: the question has changed. Look again.', isGood: false },
  refused_unreadable: { words: 'Not typed: the program is not reading input now.', isGood: false },
  unverified: { words: 'Typed, but the program may not have accepted it. Check the terminal.', isGood: false },
}

/** What it waits for; null while it runs, or after it ended. */
export const askedBy = ({ state, detection }: Pick<TerminalView, 'state' | 'detection'>): Detection | null =>
  state === 'active' && detection?.waiting ? detection : null

export function stateText({ state }: Pick<TerminalView, 'state'>, asked: Detection | null): string {
  if (state === 'stopped') return 'The program has ended.'
  if (asked === null) return 'No open question.'
  if (asked.secret) return 'It asks for a secret:'
  return asked.promptType === 'command' ? 'Waiting for a command:' : 'It asks:'
}

export function stateBadge(terminal: TerminalView): { words: string; signal: Signal } {
  const { state, exitCode, exitSignal, command } = terminal
  if (state === 'active')
    return askedBy(terminal) ? { words: 'Waiting', signal: 'wait' } : { words: 'Running', signal: 'clear' }
  if (exitSignal !== null) return { words: `Ended (${exitSignal})`, signal: 'stop' }
  if (exitCode === null) return { words: command === null ? 'Not followed' : 'Not watched', signal: 'plain' }
  return { words: `Exited (${exitCode})`, signal: exitCode === 0 ? 'plain' : 'stop' }
}

/** Button text of an answer: what is typed, and its meaning. */
export function labelOf({ choices }: Pick<Detection, 'choices'>, given: string): string {
  const choice = choices.find(({ key, selected }) => (given === '' ? selected : key === given))
  const word = given === '' ? 'Enter' : given
  const isMore = choice !== undefined && choice.label !== '' && choice.label !== given
  return clip(safeText(isMore ? `${word} · ${choice.label}` : word), 60)
}

export const commandOf = ({ command, logFile }: Pick<TerminalView, 'command' | 'logFile'>): string =>
  safeText(command?.map(quoted).join(' ') ?? logFile)

export const nameOf = (terminal: Pick<TerminalView, 'name' | 'command' | 'logFile'>): string =>
  clip(safeText(terminal.name ?? commandOf(terminal)), 200)

export const placeOf = ({ host, user, cwd }: Pick<TerminalView, 'host' | 'user' | 'cwd'>): string | null => {
  const there = host === null ? null : `${user === null ? '' : `${user}@`}${host}`
  const parts = [there, cwd].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? null : safeText(parts.join(' · '))
}

/** Quoted, so that the words of a command can be told apart. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const promptTypes: Readonly<Record<Detection['promptType'], string>> = {
  password: 'a secret',
  yes_no: 'yes or no',
  choice: 'a choice',
  path: 'a path',
  text: 'a text',
  command: 'a command',
  unknown: 'unknown input',
}

export const deciders: Readonly<Record<Detection['decidedBy'], string>> = {
  kernel: 'kernel: whether the program is reading its terminal',
  terminal_mode: 'how the program has set its terminal',
  screen: 'text on the screen',
  text: 'text of the last line',
  silence: 'no output for a while',
}

const signals: Readonly<Record<string, string>> = {
  kernel: 'Kernel',
  terminal_mode: 'Terminal mode',
  screen: 'Screen',
  text: 'Text',
  silence: 'Silence',
}
export const signalName = (signal: string): string => signals[signal] ?? signal

export const sureness = (confidence: number): string => `${Math.round(confidence * 100)} % sure`
