import type { Line } from './split-text.ts'

/** How a platform writes lines of Markdown. */
export type LineRules = {
  code(text: string): string
  prose(text: string): string
  /** Whether it is a row of a table. */
  isRow(text: string): boolean
  /** What follows the fence of a code block: text that stays readable, and the language. */
  afterFence(words: string): { readonly shown: string | null; readonly language?: string }
}

const mostBlanks = 2
const fencePattern = /^\s{0,3}(`{3,}|~{3,})([^`]*)$/

export const linesOf = (text: string): string[] => text.replaceAll(/\r\n?/g, '\n').split('\n')

/** What begins or ends a code block; null for any other line. */
const fenceOf = (text: string): RegExpExecArray | null =>
  text.includes('```') || text.includes('~~~') ? fencePattern.exec(text) : null

/** Tells code blocks, tables and prose apart, and converts each line. */
export function convertLines(markdown: string, { code, prose, isRow, afterFence }: LineRules): Line[] {
  const lines: Line[] = []
  let block = 0
  let language: Pick<Line, 'language'> = {}
  let fence: string | null = null
  let isTable = false
  let blanks = 0
  for (const text of linesOf(markdown)) {
    const marks = fenceOf(text)
    if (fence !== null) {
      // Only a fence of the same kind, at least as long and without words, ends the block.
      if (marks?.[1]?.startsWith(fence) && marks[2]?.trim() === '') fence = null
      else lines.push({ text: code(text), block, ...language })
      continue
    }
    // More than two blank lines say no more than two.
    if (text.trim() === '') {
      blanks += 1
      if (blanks <= mostBlanks) lines.push({ text: '', block: null })
      isTable = false
      continue
    }
    blanks = 0
    if (marks?.[1]) {
      fence = marks[1]
      isTable = false
      block += 1
      const { shown, ...rest } = afterFence(marks[2]?.trim() ?? '')
      language = rest
      if (shown !== null) lines.push({ text: shown, block: null })
      continue
    }
    // Columns only line up in a fixed-width font.
    const inTable = isRow(text)
    if (inTable && !isTable) block += 1
    isTable = inTable
    lines.push(inTable ? { text: code(text), block } : { text: prose(text), block: null })
  }
  return lines
}
