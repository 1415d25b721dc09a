import type { Screen } from '../../screen.ts'

/** A drawn box: the rows and columns of its border. */
export type Box = { top: number; bottom: number; left: number; right: number }

// Sets, because each character of a screen full of corners is looked up.
const corner = new Set('┌╭╔┏┎┍')
const rightCorner = new Set('┐╮╗┓┒┑+')
const side = new Set('│┃║|┤├╢╟╡╞┨┠')
const foot = new Set('└╰╚┗┘╯╝┛+')
const noBorder = new Set('┌╭╔┏│┃║')

/** Several checks of one look need them. */
const known = new WeakMap<Screen['lines'], readonly Box[]>()

/** Every closed box on the screen, top to bottom. */
export function boxesOf({ lines }: Pick<Screen, 'lines'>): readonly Box[] {
  const boxes = known.get(lines) ?? findBoxes(lines)
  known.set(lines, boxes)
  return boxes
}

function findBoxes(lines: Screen['lines']): Box[] {
  const boxes: Box[] = []
  for (const [top, { text }] of lines.entries()) {
    let ends: number[] | undefined
    for (let left = 0; left < text.length; left += 1) {
      const char = text.charAt(left)
      if (!corner.has(char) && !(char === '+' && text.charAt(left + 1) === '-')) continue
      ends ??= rightEnds(text)
      const right = ends[left + 2] ?? -1
      if (right === -1) continue
      const bottom = bottomOf(lines, top, left)
      if (bottom > top + 1) boxes.push({ top, bottom, left, right })
    }
  }
  return boxes
}

/** From each column: where a border that may contain a title ends, at its first corner; -1 if something else is drawn before. */
function rightEnds(text: string): number[] {
  const ends = Array.from<number>({ length: text.length })
  let end = -1
  for (let column = text.length - 1; column >= 0; column -= 1) {
    const char = text.charAt(column)
    // A plus sign in a title is not a corner.
    const isCorner = rightCorner.has(char) && !(char === '+' && /\p{L}/u.test(text.charAt(column - 1)))
    if (isCorner) end = column
    else if (noBorder.has(char)) end = -1
    ends[column] = end
  }
  return ends
}

function bottomOf(lines: Screen['lines'], top: number, left: number): number {
  for (let row = top + 1; row < lines.length; row += 1) {
    const char = lines[row]?.text.charAt(left) ?? ''
    if (foot.has(char)) return row
    if (!side.has(char)) return -1
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
