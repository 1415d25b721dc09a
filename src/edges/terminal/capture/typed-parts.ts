import { sequenceEnd } from './escapes.ts'
import { createTypedLine } from './typed-line.ts'

const escape = 0x1b
/** Backspace, and to the beginning of the line or word. */
const erasers = new Set([8, 0x7f, 0x15, 0x17])

/**
 * The text of an entered line, in the pieces between keys that move the cursor or complete what was typed. What was erased
 * is left out, and told with the text before it.
 */
export function typedParts(keys: Uint8Array, erasing?: (text: number[]) => void): number[][] {
  let parts: number[][] = [[]]
  const last = (): number[] => parts.at(-1) ?? []
  for (let at = 0; at < keys.length;) {
    const key = keys[at] ?? 0
    if (key === escape) {
      const end = Math.min(keys.length, keys[at + 1] === 0x4f ? at + 3 : sequenceEnd(keys, at))
      if (!isPasteMark(keys.subarray(at, end))) parts.push([])
      at = end
      continue
    }
    if (erasers.has(key)) erasing?.([...last()])
    if (key === 0x7f || key === 8) while (((last().pop() ?? 0) & 0xc0) === 0x80);
    else if (key === 0x15 || key === 3) parts = [[]]
    else if (key === 0x17) dropWord(last())
    else if (key >= 0x20) last().push(key)
    else if (key !== 13 && key !== 10) parts.push([])
    at += 1
  }
  return parts.filter((part) => part.length > 0)
}

/** `ESC [ 200 ~` and `ESC [ 201 ~`. */
function isPasteMark(sequence: Uint8Array): boolean {
  const name = Buffer.from(sequence).toString('latin1')
  return name.endsWith('[200~') || name.endsWith('[201~')
}

function dropWord(text: number[]): void {
  while (text.at(-1) === 0x20) text.pop()
  while (text.length > 0 && text.at(-1) !== 0x20) text.pop()
}

/** As a line editor with the usual keys has it at the end. */
export function editedText(keys: Uint8Array): number[] {
  const line = createTypedLine(() => undefined)
  line.typed(keys.at(-1) === 13 || keys.at(-1) === 10 ? keys.subarray(0, -1) : keys)
  const text = line.text()
  line.forget()
  return text
}
