/** Any control character except line ends, tabs, colours and clearing a line. */
// eslint-disable-next-line no-control-regex -- control characters are the point
const other = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[(?:[0-9;:]*m|[012]?K))/
// eslint-disable-next-line no-control-regex -- as above
const colourSequences = /\u001b\[[0-9;:]*m/g
const resets = ['\u001b[0m', '\u001b[m']

/**
 * Text with the same effect on a terminal of this many lines as `text`, without the part that scrolls out: of a program
 * that prints 20 MB a second, only the last lines are emulated. If that part has anything but lines and colours,
 * all of it stays. Only for a terminal without a scroll region.
 */
export function dropScrolledText(text: string, lines: number): string {
  const cut = startOfLast(text, lines)
  const going = text.slice(0, cut)
  if (cut === 0 || other.test(going)) return text
  // After a reset earlier colours do not matter. The current line ends here.
  const reset = Math.max(0, ...resets.map((one) => going.lastIndexOf(one)))
  return `${(going.slice(reset).match(colourSequences) ?? []).join('')}\r\n${text.slice(cut)}`
}

/** Where the last lines begin, after a CR LF; 0 if there are fewer. */
function startOfLast(text: string, lines: number): number {
  let at = text.length
  for (let count = 0; count <= lines; count += 1) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (at <= 0) return 0
  }
  return text[at - 1] === '\r' ? at + 1 : 0
}
