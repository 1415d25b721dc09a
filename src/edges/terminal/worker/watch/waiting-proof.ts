import { stripVTControlCharacters } from 'node:util'
import type { WatchState } from './types.ts'

export type Proof = {
  status: 'delivered' | 'unverified'
  /** What shows it. Null: nothing does. */
  by: 'ran' | 'prompt_gone' | 'echo' | 'output' | null
  reason: string
}

type Facts = {
  /** As it was when the bytes were written. */
  before: WatchState
  /** What was seen since, oldest first. */
  after: readonly WatchState[]
  /** What was printed since. */
  output: string
  /** What was typed; null where it is secret. */
  text: string | null
  /** ssh: the process that is seen is not the one that asked. */
  remote?: boolean
}

/** Whether an answer arrived, from what followed it; strongest sign first. */
export function proveDelivery({ before, after, output, text, remote = false }: Facts): Proof {
  const printed = visible(output)
  const stirred = printed !== '' || (!remote && after.some((state) => hasRun(before, state)))
  if (!remote && before.fg?.reading === 'read' && after.some((state) => hasRun(before, state)))
    return proof('ran', 'The program was reading the terminal, and has run since.')
  const end = after.find((state) => state.state === 'exited')
  if (end) return proof('prompt_gone', 'The program ended after it.')
  // That a line was typed makes the watch say `working` by itself; only what the program did proves anything.
  if (stirred && after.some((state) => askedAnew(before, state)))
    return proof('prompt_gone', 'The prompt is gone: the program asks for something else.')
  if (!remote && after.some((state) => atWork(before, state)))
    return proof('prompt_gone', 'The prompt is gone: the program is at work.')
  const typed = text === null ? '' : visible(text)
  if (typed !== '' && printed.startsWith(typed)) return proof('echo', 'The text appeared at the prompt.')
  if (printed !== '') return proof('output', 'The program printed something after it.')
  return { status: 'unverified', by: null, reason: 'Nothing followed: look at the screen before you type it again.' }
}

const proof = (by: Exclude<Proof['by'], null>, reason: string): Proof => ({ status: 'delivered', by, reason })

const hasRun = ({ fg }: WatchState, { fg: later }: WatchState): boolean =>
  fg !== null && later !== null && (fg.pid !== later.pid || fg.mark !== later.mark)

const askedAnew = ({ prompt }: WatchState, { state, prompt: later }: WatchState): boolean =>
  state === 'waiting' && later !== null && later.id !== prompt?.id

const atWork = (before: WatchState, { verdict, fg }: WatchState): boolean =>
  verdict.state === 'working' && verdict.decidedBy === 'kernel' && fg?.reading === 'no' && before.fg !== null

/** What a person would see of it, in words. */
const visible = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
