/** A control character that is neither the end of a line nor a tab, nor begins a colour or the clearing of a line. */
// eslint-disable-next-line no-control-regex -- control characters are what it is about
const other = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[(?:[0-9;:]*m|[012]?K))/
// eslint-disable-next-line no-control-regex -- as above
const looks = /\u001b\[[0-9;:]*m/g
const resets = ['\u001b[0m', '\u001b[m']

/**
 * Text that leaves a terminal with so many lines as `text` would, without what scrolls out of it for good: a program
 * that prints 20 MB a second has only its last lines emulated. Where anything but lines and colours is in the part that
 * would go, all of it stays. Only for a terminal that scrolls as a whole.
 */
export function dropScrolledText(text: string, lines: number): string {
  const cut = startOfLast(text, lines)
  const going = text.slice(0, cut)
  if (cut === 0 || other.test(going)) return text
  // After a reset it does not matter what was before it. The line that is under way ends here, wherever it was.
  const reset = Math.max(0, ...resets.map((one) => going.lastIndexOf(one)))
  return `${(going.slice(reset).match(looks) ?? []).join('')}\r\n${text.slice(cut)}`
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
