import { editDistance } from '../../../lib/edit-distance.ts'

export type Word = { readonly text: string; readonly start: number; readonly quoted: boolean }

/** Phones turn quotes and dashes into typographic ones. */
const pattern = /"([^"]*)"|“([^”]*)”|'([^']*)'(?=\s|$)|\S+/g

export const wordsOf = (text: string): Word[] =>
  [...text.matchAll(pattern)].map((match) => {
    const quoted = match[1] ?? match[2] ?? match[3]
    return {
      text: quoted ?? match[0].replace(/^[—–](?=\w)/, '--'),
      start: match.index,
      quoted: quoted !== undefined,
    }
  })

/** The text from a word to the end, as it was written. A single quoted phrase loses its quotes. */
export function textFrom(text: string, words: readonly Word[], at: number): string {
  const [first, ...more] = words.slice(at)
  if (first === undefined) return ''
  return first.quoted && more.length === 0 ? first.text.trim() : text.slice(first.start).trim()
}

/** What was meant by a word that is not known; undefined if nothing is close. */
export function meantBy(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const limit = wanted.length < 4 ? 1 : 2
  const near = known
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase(), limit) }))
    .filter(({ name, distance }) => distance <= limit && distance < name.length / 2)
    .toSorted((a, b) => a.distance - b.distance)
  const begun = wanted.length < 3 ? [] : known.filter((name) => name.toLowerCase().startsWith(wanted))
  return begun.length === 1 ? begun[0] : near[0]?.name
}
