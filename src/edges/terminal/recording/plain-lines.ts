import { sequenceEnd } from './cut.ts'

/** One line as a person would have read it, and where it begins. */
export type PlainLine = { readonly text: string; readonly offset: number; readonly atMs: number }

export type PlainLines = {
  /** The lines that ended in this piece of text. */
  push(text: string, offset: number, atMs: number): PlainLine[]
  /** The last line, which has not ended. */
  rest(): PlainLine[]
}

/** A longer line is returned in parts. */
const longest = 64 * 1024

export function createPlainLines(): PlainLines {
  let held = ''
  let heldOffset = 0
  let heldMs = 0

  function line(raw: string, offset: number, atMs: number, into: PlainLine[]): void {
    for (const text of rendered(raw)) into.push({ text, offset, atMs })
  }

  return {
    push(text, offset, atMs) {
      const found: PlainLine[] = []
      let from = 0
      let place = offset
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const part = text.slice(from, end)
        if (held) line(held + part, heldOffset, heldMs, found)
        else line(part, place, atMs, found)
        held = ''
        place += Buffer.byteLength(part) + 1
        from = end + 1
      }
      if (from < text.length) {
        if (!held) {
          heldOffset = place
          heldMs = atMs
        }
        held += text.slice(from)
        if (held.length > longest) {
          line(held, heldOffset, heldMs, found)
          held = ''
        }
      }
      return found
    },
    rest() {
      const found: PlainLine[] = []
      if (held) line(held, heldOffset, heldMs, found)
      held = ''
      return found
    },
  }
}

/** Any character with a special meaning. */
const special = /(?!\t)\p{Cc}/u

/** A raw line without escape sequences and overwritten text; several lines if the cursor went up or down. */
export function rendered(raw: string): string[] {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (!special.test(line)) return [line]
  const lines: string[] = []
  let cells: string[] = []
  let column = 0
  const finish = () => {
    const text = cells.join('').trimEnd()
    if (text) lines.push(text)
    cells = []
    column = 0
  }
  for (let at = 0; at < line.length;) {
    const code = line.charCodeAt(at)
    if (code === 0x1b) {
      const end = Math.min(line.length, sequenceEnd(line, at))
      if (line.charCodeAt(at + 1) === 0x5b) column = moved(line.slice(at + 2, end), cells, column, finish)
      at = end
    } else if (code === 13) {
      column = 0
      at += 1
    } else if (code === 8) {
      column = Math.max(0, column - 1)
      at += 1
    } else if (code < 0x20 && code !== 9) at += 1
    else {
      const character = String.fromCodePoint(line.codePointAt(at) ?? 32)
      while (cells.length < column) cells.push(' ')
      cells[column] = character
      column += 1
      at += character.length
    }
  }
  const count = lines.length
  finish()
  return lines.length > 0 ? lines : count === 0 ? [''] : lines
}

const widest = 1000

/** The column after a CSI sequence; `body` is everything after `ESC [`. */
function moved(body: string, cells: string[], column: number, finish: () => void): number {
  const count = Math.min(widest, Math.max(1, Number.parseInt(body, 10) || 1))
  switch (body.at(-1)) {
    case 'A':
    case 'B':
    case 'E':
    case 'F':
    case 'H':
    case 'f':
    case 'd':
      finish()
      return 0
    case 'C':
      return Math.max(column, Math.min(column + count, widest))
    case 'D':
      return Math.max(0, column - count)
    case 'G':
      return count - 1
    case 'K':
      if (body === 'K' || body === '0K') cells.length = Math.min(cells.length, column)
      else cells.fill(' ', 0, body === '2K' ? cells.length : column)
      return column
    case 'P':
      cells.splice(column, count)
      return column
    default:
      return column
  }
}
