import { matchesWildcard, hasWildcard } from './wildcard.ts'
import { keyOf, splitWords, type CommandWord } from './command-words.ts'

/** An entry of a policy's `commands`, read as words. `rest`: it ends in `*`, for any further words. */
export type CommandEntry = { readonly text: string; readonly globs: readonly WordGlob[]; readonly rest: boolean }
type WordGlob = { readonly text: string; readonly literal: boolean; readonly prefix: string; readonly suffix: string }

export function readEntry(text: string): CommandEntry | null {
  const words = splitWords(text)
  if (!words || words.length === 0) return null
  const rest = words.at(-1)?.raw === '*'
  return { text, globs: (rest ? words.slice(0, -1) : words).map(toGlob), rest }
}

/** Quoted words are literal. */
function toGlob({ text, raw }: CommandWord): WordGlob {
  const literal = raw !== text || !hasWildcard(text)
  const [prefix = ''] = text.split(/[*?]/, 1)
  return { text, literal, prefix, suffix: /[^*?]*$/.exec(text)?.[0] ?? '' }
}

export function matchesGlob({ text, literal, prefix, suffix }: WordGlob, word: string): boolean {
  if (literal) return text === word
  return word.startsWith(prefix) && word.endsWith(suffix) && matchesWildcard(text, word)
}

function matches({ globs, rest }: CommandEntry, words: readonly CommandWord[]): boolean {
  if (rest ? words.length < globs.length : words.length !== globs.length) return false
  // From the end: the last words differ most between entries.
  for (let index = globs.length - 1; index >= 0; index -= 1) {
    const [glob, word] = [globs[index], words[index]]
    if (!glob || !word || !matchesGlob(glob, word.text)) return false
  }
  return true
}

/** The longest literal word of an entry and its index: the key under which the entry is looked up. */
export function anchorOf({ globs }: CommandEntry): { index: number; word: string } | null {
  let best: { index: number; word: string } | null = null
  for (const [index, { text, literal }] of globs.entries())
    if (literal && text.length > (best?.word.length ?? -1)) best = { index, word: text }
  return best
}

export const anchorKey = (index: number, word: string): string => `${index}\0${word}`

export function pushTo<V>(map: Map<string, V[]>, key: string, value: V): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}

/** Looks up the entry for a command: by all of its words, by its first ones, or by one literal word. */
export function createEntryMatcher(entries: readonly CommandEntry[]): (words: readonly CommandWord[]) => string | null {
  const exact = new Map<string, string>()
  const open = new Map<string, string>()
  const globs = new Map<string, CommandEntry[]>()
  const free: CommandEntry[] = []
  for (const entry of entries) {
    const anchor = anchorOf(entry)
    if (!anchor) free.push(entry)
    else if (entry.globs.every(({ literal }) => literal)) {
      const key = keyOf(entry.globs)
      const map = entry.rest ? open : exact
      if (!map.has(key)) map.set(key, entry.text)
    } else pushTo(globs, anchorKey(anchor.index, anchor.word), entry)
  }
  return (words) => {
    const same = exact.get(keyOf(words))
    if (same !== undefined) return same
    for (let count = words.length; count > 0; count -= 1) {
      const found = open.get(keyOf(words.slice(0, count)))
      if (found !== undefined) return found
    }
    for (const [index, { text }] of words.entries()) {
      const found = globs.get(anchorKey(index, text))?.find((entry) => matches(entry, words))
      if (found) return found.text
    }
    return free.find((entry) => matches(entry, words))?.text ?? null
  }
}
