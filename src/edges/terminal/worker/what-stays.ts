/** Sequences that change how later text looks, or a line that goes anyway; and what text is made of. */
const sequence = /\u001b\[(?:([0-9;:]*)m|[012]?K)/y
// eslint-disable-next-line no-control-regex -- control characters are what it is about
const special = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/**
 * Text that leaves a terminal with so many lines as `text` would, without what scrolls out of it for good: a program
 * that prints 20 MB a second has only its last lines emulated. Where anything but lines and colours is in the part that
 * would go, all of it stays. Only for a terminal that scrolls as a whole.
 */
export function whatStays(text: string, lines: number): string {
  const cut = startOfLast(text, lines)
  if (cut === 0) return text
  const looks = looksBefore(text, cut)
  // The line that is under way ends here, wherever it was.
  return looks === null ? text : `${looks}\r\n${text.slice(cut)}`
}

/** Where the last so many lines begin, after a CR LF; 0 where there are not as many. */
function startOfLast(text: string, lines: number): number {
  let at = text.length
  for (let count = 0; count <= lines; count += 1) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (at <= 0) return 0
  }
  return text[at - 1] === '\r' ? at + 1 : 0
}

/** The sequences that decide how the text from there on looks; null where there are others. */
function looksBefore(text: string, end: number): string | null {
  let looks = ''
  special.lastIndex = 0
  for (let found = special.exec(text); found && found.index < end; found = special.exec(text)) {
    sequence.lastIndex = found.index
    const known = sequence.exec(text)
    if (!known) return null
    const [whole, params] = known
    // After a reset it does not matter what was before it.
    if (params === '' || params === '0') looks = ''
    if (params !== undefined) looks += whole
    special.lastIndex = sequence.lastIndex
  }
  return looks
}
