import type { IBuffer, IBufferCell, Terminal } from '@xterm/headless'
import type { Looks } from '../../domain/terminal/looks.ts'

/** Beyond this, styles are not told apart: no menu has so many. */
const mostStyles = 1000
const firstCode = 0x100

/** How each character of each row is drawn, in the order of the rows' text. */
export function looksOf(terminal: Terminal): Looks {
  const buffer: IBuffer = terminal.buffer.active
  const cell = buffer.getNullCell()
  const codes = new Map<string, string>()
  const rows: string[] = []
  for (let row = 0; row < terminal.rows; row += 1) {
    const line = buffer.getLine(buffer.baseY + row)
    let looks = ''
    for (let column = 0; column < terminal.cols; column += 1) {
      const seen = line?.getCell(column, cell)
      if (seen === undefined || seen.getWidth() === 0) continue
      looks += codeOf(codes, styleOf(seen)).repeat(Math.max(1, seen.getChars().length))
    }
    rows.push(looks)
  }
  return { rows, styles: Object.fromEntries([...codes].map(([style, code]) => [code, style])) }
}

function codeOf(codes: Map<string, string>, style: string): string {
  const known = codes.get(style)
  if (known !== undefined) return known
  const code = String.fromCharCode(firstCode + Math.min(codes.size, mostStyles))
  if (codes.size < mostStyles) codes.set(style, code)
  return code
}

function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return ''
  const flags = [
    cell.isInverse() === 0 ? '' : 'inverse ',
    cell.isBold() === 0 ? '' : 'bold ',
    cell.isDim() === 0 ? '' : 'dim ',
    cell.isUnderline() === 0 ? '' : 'underline ',
  ].join('')
  return `${flags}${cell.getFgColorMode()}:${cell.getFgColor()} ${cell.getBgColorMode()}:${cell.getBgColor()}`
}
