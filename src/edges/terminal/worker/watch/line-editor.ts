import { isCharacter, key } from './key-codes.ts'

export type EditedLine = {
  /** The entered text, in code points. Overwrite it after use. */
  codes: number[]
  /** False: a key was pressed whose effect only the program knows (history, completion). */
  sure: boolean
  /** Keys reached the program as raw bytes: `^[[B` is not an answer. */
  garbled: boolean
}

const space = 0x20
const isWord = (code: number) =>
  code === 0x5f ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code > 0x7f

/** Keys → the line finally entered. Null: it was given up. */
export function editLine(keys: ArrayLike<number>, canonical: boolean): EditedLine | null {
  const line: EditedLine & { at: number } = { codes: [], sure: true, garbled: false, at: 0 }
  let literal = false
  for (let index = 0; index < keys.length; index += 1) {
    const code = keys[index] ?? key.other
    if (literal || isCharacter(code)) insert(line, code)
    else if (code === key.interrupt) return wipe(line)
    else if (canonical) driverKey(line, code)
    else editorKey(line, code)
    literal = !literal && code === key.literal
  }
  return { codes: line.codes, sure: line.sure, garbled: line.garbled }
}

type Line = EditedLine & { at: number }

function insert(line: Line, code: number): void {
  if (!isCharacter(code)) return
  line.codes.splice(line.at, 0, code)
  line.at += 1
}

/** The terminal driver has three erase keys, and no cursor keys. */
function driverKey(line: Line, code: number): void {
  if (code === key.backspace) cut(line, line.at - 1, line.at)
  else if (code === key.killLine) cut(line, 0, line.at)
  else if (code === key.killWord) cut(line, wordBefore(line, isWord), line.at)
  else if (code === key.tab) insert(line, 0x09)
  else if (code !== key.literal && code !== key.enter && code !== key.finish) line.garbled = true
}

/** A line editor in the program, as nearly all of them behave. */
function editorKey(line: Line, code: number): void {
  const { codes, at } = line
  if (code === key.backspace) cut(line, at - 1, at)
  else if (code === key.delete || code === key.finish) cut(line, at, at + 1)
  else if (code === key.killLine) cut(line, 0, at)
  else if (code === key.killToEnd) cut(line, at, codes.length)
  else if (code === key.killWord) cut(line, wordBefore(line, notBlank), at)
  else if (code === key.home) line.at = 0
  else if (code === key.end) line.at = codes.length
  else if (code === key.left) line.at = Math.max(0, at - 1)
  else if (code === key.right) line.at = Math.min(codes.length, at + 1)
  else if (code === key.wordLeft) line.at = wordBefore(line, isWord)
  else if (code === key.wordRight) line.at = wordAfter(line)
  else if (code !== key.literal && code !== key.enter) line.sure = false
}

const notBlank = (code: number) => code !== space

function wordBefore({ codes, at }: Line, inWord: (code: number) => boolean): number {
  let to = at
  while (to > 0 && !inWord(codes[to - 1] ?? space)) to -= 1
  while (to > 0 && inWord(codes[to - 1] ?? space)) to -= 1
  return to
}

function wordAfter({ codes, at }: Line): number {
  let to = at
  while (to < codes.length && !isWord(codes[to] ?? space)) to += 1
  while (to < codes.length && isWord(codes[to] ?? space)) to += 1
  return to
}

function cut(line: Line, from: number, to: number): void {
  line.codes.splice(Math.max(0, from), Math.max(0, Math.min(to, line.codes.length) - Math.max(0, from)))
  line.at = Math.max(0, Math.min(from, line.codes.length))
}

function wipe(line: Line): null {
  line.codes.fill(0)
  return null
}
