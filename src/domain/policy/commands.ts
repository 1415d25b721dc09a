import { createEntryMatcher, readEntry, type CommandEntry } from './command-entries.ts'
import { isLauncher } from './launchers.ts'
import { readRegistry } from './registry.ts'
import type { IgnoredEntry } from './schema.ts'
import { isSame, keyOf, readWords, type CommandWord } from './command-words.ts'

/** Commands that may be answered automatically, compiled. */
export type CommandRules = {
  /** The entry or confirmed rule that allows these words, or null. */
  match(words: readonly CommandWord[]): string | null
}

const notPlain = 'it is not a plain command: operators, redirections and substitutions are never automatic'
const notRegistered = 'it matches no command under [commands] in config.toml; only those can be automatic'

export function compileCommands(
  entries: readonly string[],
  registry: readonly string[],
  confirmed: readonly string[],
): { rules: CommandRules; ignored: IgnoredEntry[] } {
  const known = readRegistry(registry)
  const ignored: IgnoredEntry[] = []
  const usable: CommandEntry[] = []
  for (const text of entries) {
    const entry = readEntry(text)
    if (entry && known.covers(entry)) usable.push(entry)
    else ignored.push({ entry: text, why: entry ? notRegistered : notPlain })
  }
  const learned = new Map<string, { words: CommandWord[]; text: string }>()
  for (const text of confirmed) {
    const words = readWords(text)
    if (words && mayBeLearned(words)) learned.set(keyOf(words), { words, text })
    else ignored.push({ entry: text, why: 'a confirmed rule must be one plain command' })
  }
  const entryFor = createEntryMatcher(usable)
  return {
    ignored,
    rules: {
      match(words) {
        const rule = learned.get(keyOf(words))
        if (rule && isSame(rule.words, words)) return rule.text
        return known.allows(words) ? entryFor(words) : null
      },
    },
  }
}

/** Whether it can become a rule: one plain command that runs nothing but itself. */
export const mayBeLearned = (words: readonly CommandWord[]): boolean =>
  words.every(({ plain }) => plain) && !isLauncher(words[0]?.text ?? '')
