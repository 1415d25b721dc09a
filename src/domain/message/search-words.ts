/** PostgreSQL indexes at most 1 MiB per message; this many characters stay below that in any script. */
const mostIndexed = 200_000

/**
 * The words of a text, the same for both databases: without case, accents and punctuation. PostgreSQL would index a
 * path or a tag as one word; SQLite would split it.
 */
export const searchWords = (text: string): string[] =>
  text
    .slice(0, mostIndexed)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
