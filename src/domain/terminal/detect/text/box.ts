import type { Screen } from '../../screen.ts'

/** A drawn box: the rows and columns of its border. */
export type Box = { top: number; bottom: number; left: number; right: number }

const corner = /[┌╭╔┏┎┍]|\+(?=-)/gu
const rightCorner = /[┐╮╗┓┒┑+]/u
const side = /[│┃║|┤├╢╟╡╞┨┠]/u
const foot = /[└╰╚┗┘╯╝┛+]/u

/** Every closed box on the screen, top to bottom. */
export function boxesOf({ lines }: Pick<Screen, 'lines'>): Box[] {
  const boxes: Box[] = []
  for (const [top, { text }] of lines.entries())
    for (const { index: left } of text.matchAll(corner)) {
      const right = rightEnd(text, left)
      if (right === -1) continue
      const bottom = bottomOf(lines, top, left)
      if (bottom > top + 1) boxes.push({ top, bottom, left, right })
    }
  return boxes
}

/** The border may contain a title, and ends at the first corner. */
function rightEnd(text: string, left: number): number {
  for (let column = left + 2; column < text.length; column += 1) {
    const char = text.charAt(column)
    // A plus sign in a title is not a corner.
    if (rightCorner.test(char) && !(char === '+' && /\p{L}/u.test(text.charAt(column - 1)))) return column
    if (/[┌╭╔┏│┃║]/u.test(char)) return -1
  }
  return -1
}

function bottomOf(lines: Screen['lines'], top: number, left: number): number {
  for (let row = top + 1; row < lines.length; row += 1) {
    const char = lines[row]?.text.charAt(left) ?? ''
    if (foot.test(char)) return row
    if (!side.test(char)) return -1
  }
  return -1
}

/** The text in the upper border. */
export function titleOf({ lines }: Pick<Screen, 'lines'>, { top, left, right }: Box): string {
  const border = lines[top]?.text.slice(left, right) ?? ''
  return border
    .replaceAll(/[\u2500-\u257f]+|(?<!\p{L})[+|=-]+|[+|=-]+(?!\p{L})/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

export const contains = ({ top, bottom, left, right }: Box, row: number, col: number): boolean =>
  row > top && row < bottom && col > left && col < right
