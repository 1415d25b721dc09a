import type { Ask } from '../domain/ask/schema.ts'
import { verbOf, verbs } from './answer-words.ts'

const attention: Readonly<Record<string, string>> = {
  answer_not_typed: 'an answer could not be typed into its terminal',
  write_differs: 'the agent wrote something else than what was approved',
  forced_apply: 'something was applied by force: a file had changed since it was asked',
  undone: 'what was approved was undone',
  policy: 'its policy has something to report',
  error_recovery: 'the agent has run into an error and still waits for a person',
}

/** Why somebody should look, in words. */
export const attentionWords = (what: string): string => attention[what] ?? what.replaceAll('_', ' ')

type Known = {
  /** How whoever did it is called; null where nobody knows. */
  readonly who: (actor: string) => string | null
  /** The ask it is about, where it was read. */
  readonly ask?: Pick<Ask, 'answer' | 'subject'> | undefined
}

const answered = new RegExp(`^(${Object.keys(verbs).join('|')})(?: by ([a-z]+:.*?))?, (?=[a-z])`)

/** What catching up tells, for people: codes become sentences, and ids names. */
export function caughtUpText(text: string, { who, ask }: Known): string {
  const looked = /^(Somebody should look): (\w+)$/.exec(text)
  if (looked) return `${looked[1]}: ${attentionWords(looked[2] ?? '')}`
  return text.replace(answered, (_all, outcome: keyof typeof verbs, by: string | undefined) => {
    const verb = ask?.answer?.outcome === outcome ? verbOf(ask) : verbs[outcome]
    const name = by === undefined ? null : who(by)
    return `${verb}${name === null ? '' : ` by ${name}`}, `
  })
}
