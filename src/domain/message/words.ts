/** PostgreSQL holds at most 1 MiB of words a message; this much is less in any script. */
const mostIndexed = 200_000

/**
 * Words as both databases take them for words: without case, accents and all that stands between. Left to themselves,
 * PostgreSQL would take a path or a tag for one word and know none of its parts, and SQLite would not.
 */
export const wordsIn = (text: string): string[] =>
  text
    .slice(0, mostIndexed)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
