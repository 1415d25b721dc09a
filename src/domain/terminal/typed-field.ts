/** Where typed text is on the screen, and what was in the field before it. */
export type TypedField = {
  readonly row: number
  /** The row up to the typed text. */
  readonly before: string
}

// Clocks, counters and spinners change on their own.
const moving = /[\d\u2800-\u28ff◐◓◑◒|/\\-]+/g
const still = (text: string): string => text.replaceAll(moving, '').trimEnd()

/**
 * Whether the screen differs from an earlier one only by text that was typed into a field: the rows above are the same,
 * nothing new is below, and the text replaced a placeholder or follows what was there. Null if the program did more,
 * for example asked the next question because it took the first key as the whole answer.
 */
export function typedField(before: readonly string[], now: readonly string[], typed: string): TypedField | null {
  if (typed === '' || lastFilled(now) > lastFilled(before)) return null
  for (const [row, text] of now.entries()) {
    const earlier = before[row] ?? ''
    if (text.trimEnd() === earlier.trimEnd()) continue
    const at = placeOf(earlier, text, typed)
    if (at !== null) return { row, before: text.slice(0, at) }
    if (still(text) !== still(earlier)) return null
  }
  return null
}

/** The column where the typed text begins; what is left of it was there before, and so was what is right of it. */
function placeOf(earlier: string, now: string, typed: string): number | null {
  const padded = earlier.padEnd(now.length)
  const same = commonStart(padded, now)
  const at = now.lastIndexOf(typed, same)
  if (at === -1) return null
  const behind = now.slice(at + typed.length).trim()
  // A placeholder or the frame of a box; an underscore or block is a drawn cursor, and a search counts what it finds.
  return behind === '' || /^[_█▏|]?(?:\s*\(\d+ \p{L}+\))?$/u.test(behind) || padded.slice(at).includes(behind)
    ? at
    : null
}

function commonStart(one: string, two: string): number {
  let at = 0
  while (at < one.length && one[at] === two[at]) at += 1
  return at
}

const lastFilled = (rows: readonly string[]): number => rows.findLastIndex((row) => row.trim() !== '')

/** Text that was in the field before and is still there, so that an answer would be appended to it. */
export function leftInField({ before }: TypedField, promptText: string): string {
  const word = /[^\s│┃║|]+$/u.exec(before)?.[0] ?? ''
  // The beginning of a path, or words.
  if (!/^[~./\\]+$/.test(word) && !/[\p{L}\p{N}]/u.test(word)) return ''
  // The prompt itself may end right before the cursor: `Name:`.
  return promptText.trimEnd().endsWith(word) || /[:?>$#)\]]$/u.test(word) ? '' : word
}

/**
 * Whether the question is still where it was, with the same rows above and no other one below: a program that has taken
 * an answer leaves its question behind, or draws it differently.
 */
export function isInPlace(before: readonly string[], now: readonly string[], promptText: string): boolean {
  const question = promptText.split('\n').at(-1)?.trim() ?? ''
  if (question === '') return false
  const has = (text: string | undefined): boolean => plain(text ?? '').includes(plain(question))
  const at = before.findLastIndex(has)
  if (at === -1 || !has(now[at])) return false
  if (now.slice(at + 1).some(has)) return false
  return before.slice(0, at).every((text, row) => still(text) === still(now[row] ?? ''))
}

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ')
