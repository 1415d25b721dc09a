import { withoutBrackets } from '../question.ts'
import { pressKey } from '../words/ask.ts'
import { newSecret } from '../words/secret.ts'
import { wordsOf } from '../words/words-of.ts'
import { isNo, isYes } from '../words/yes-no.ts'
import type { DangerContext } from './context.ts'
import { asksToType, doubtsYou, isOnlyShown } from './doubt.ts'
import { isGeneric } from './generic.ts'
import { meaningsOf } from './meanings.ts'
import { passwordCommand, privilegeCommand, privilegeWords } from './privilege.ts'
import { isCaution, isHeading, isLocallyChanged, threatens } from './statements.ts'
import { trustRules, withoutNamedKeys } from './trust.ts'
import { isMildContext, unknownDeed } from './unknown-deed.ts'
import { harmfulCommand, harmfulSubcommand, harmfulWord, verbIn } from './verbs.ts'

/** What a text may show. */
const signs: readonly (readonly [name: string, shows: (text: string) => boolean])[] = [
  ['verb', (text) => verbIn(text) !== null],
  ['threat', (text) => threatens(text, true)],
  ['caution', isCaution],
  ['heading', isHeading],
  ['changed', isLocallyChanged],
  ['typed', asksToType],
  ['doubt', doubtsYou],
  ['shown', isOnlyShown],
  ['runs', (text) => harmfulCommand.test(text)],
  ['subcommand', (text) => harmfulSubcommand.test(text)],
  ['trust', (text) => trustRules.some(({ words }) => words.test(text))],
  ['rights', (text) => privilegeWords.test(text)],
  ['secret', (text) => newSecret.test(text)],
  ['mild', (text) => text !== '' && isMildContext([text])],
]

const kinds = { password: 'P', text: 'F', path: 'F', command: 'C', choice: 'O', yes_no: 'Y', unknown: 'F' } as const
const linesNear = 8
const choicesRead = 12
const wordsRead = 60

/** The parts of a prompt that words are read from, each with its name. */
export const zonesOf = ({ question, own, choices }: DangerContext): (readonly [string, readonly string[]])[] => {
  const near = own.near.slice(-linesNear).map(withoutNamedKeys)
  // `Press Delete` names a key.
  const asks = withoutNamedKeys(question)
  return [
    ['asks', [asks]],
    ['says', [withoutBrackets(asks)]],
    ['last', near.slice(-1)],
    ['near', near],
    ['offers', choices.slice(0, choicesRead).map(({ label }) => label)],
  ]
}

/** What the words and the surroundings of a prompt show, each by a name that has a weight. */
export const featuresOf = (asked: DangerContext): Set<string> => {
  const { type, question, own, fallback } = asked
  const zones = zonesOf(asked)
  const plain = zones[1]?.[1][0] ?? ''
  const generic = isGeneric(question) || !/\p{L}{2}/u.test(plain) || pressKey.test(question)
  const kind = `${kinds[type]}${generic ? 'g' : ''}`
  const enter = fallback === null ? '-' : isYes(fallback) ? 'y' : isNo(fallback) ? 'n' : 'o'
  const found = new Set(['any', kind, `${kind} enter ${enter}`])
  for (const [zone, texts] of zones) {
    for (const [name, shows] of signs) if (texts.some(shows)) found.add(`${kind} ${zone} ${name}`)
    for (const text of texts)
      for (const meaning of meaningsOf(text, wordsOf(text).slice(0, wordsRead)))
        found.add(`${kinds[type]} ${zone} means ${meaning}`).add(`${zone} means ${meaning}`)
  }
  for (const word of wordsOf(plain).slice(0, wordsRead)) found.add(`${kinds[type]} ${word}`)
  for (const word of (zones[4]?.[1] ?? []).flatMap(wordsOf).slice(0, wordsRead)) found.add(`offers ${word}`)
  if (unknownDeed(question) !== null) found.add(`${kind} deed ${enter}`)
  if (isMildContext([...own.all, own.command ?? ''])) found.add(`${kind} mild ${enter}`)
  if (own.authenticates) found.add(`${kind} authenticates`)
  const { command } = own
  if (command === null) return found
  for (const word of wordsOf(command).slice(0, wordsRead)) found.add(`command ${word}`)
  for (const [name, words] of commands) if (words.test(command)) found.add(`${kind} command ${name}`)
  return found
}

const commands = [
  ['rights', privilegeCommand],
  ['password', passwordCommand],
  ['runs', harmfulCommand],
  ['harm', harmfulWord],
] as const
