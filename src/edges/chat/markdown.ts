import type { Line } from './split-text.ts'

/** How a platform writes what Markdown means. Every text that is passed to a mark is escaped already. */
export type Dialect = {
  /** One line of text that is not Markdown, escaped. */
  plain(text: string): string
  /** One line of code, escaped. */
  code(text: string): string
  bold(text: string): string
  italic(text: string): string
  struck(text: string): string
  codeSpan(code: string): string
  /** Repairs a line after all marks are in it. */
  finish(line: string): string
}

export type Markdown = ReturnType<typeof createMarkdown>

const image = /!?\[([^[\]]{0,500})\]\(([^()\s]{1,2000})\)/g
const italic = /(?<![*\w])\*(?![*\s])([^*]{1,1000})(?<![*\s])\*(?![*\w])/g
const bold = /\*\*(?![*\s])([^*]{1,1000})(?<![*\s])\*\*/g
const boldByUnderscore = /(?<!\w)__(?![_\s])([^_]{1,1000})(?<![_\s])__(?!\w)/g
const struck = /~~(?![~\s])([^~]{1,1000})(?<![~\s])~~/g

/** Without any of these a line has no marks. */
const mark = /[`*_~[]/

/** The label of a link may lie about its target, so both are shown. */
const link = (_whole: string, label: string, url: string): string =>
  label === '' || label === url ? url : `${label} (${url})`

export const linesOf = (text: string): string[] => text.replaceAll(/\r\n?/g, '\n').split('\n')

const fence = /^\s{0,3}(`{3,}|~{3,})([^`]*)$/
/** What begins or ends a code block; null for any other line. */
export const fenceOf = (text: string): RegExpExecArray | null =>
  text.includes('```') || text.includes('~~~') ? fence.exec(text) : null

export const mostBlanks = 2

/** Converts agents' Markdown, line by line. No link of theirs becomes a link with a label. */
export function createMarkdown(dialect: Dialect) {
  const { plain, code } = dialect

  /** Emphasis and links of one line; nothing inside code spans is converted. */
  function inline(text: string): string {
    if (!mark.test(text)) return dialect.finish(plain(text))
    const parts = text.split(/`([^`]{1,1000})`/)
    const converted = parts.map((part, index) =>
      index % 2 === 1
        ? dialect.codeSpan(code(part))
        : plain(part)
            .replaceAll(image, link)
            .replaceAll(italic, (_whole, inside: string) => dialect.italic(inside))
            .replaceAll(bold, (_whole, inside: string) => dialect.bold(inside))
            .replaceAll(boldByUnderscore, (_whole, inside: string) => dialect.bold(inside))
            .replaceAll(struck, (_whole, inside: string) => dialect.struck(inside)),
    )
    return dialect.finish(converted.join(''))
  }

  function prose(text: string): string {
    const heading = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(text)?.[1]
    if (heading !== undefined) return dialect.bold(inline(heading.replaceAll('**', '')).trim())
    const bullet = /^(\s{0,40})[-*+]\s+(.*)$/.exec(text)
    if (bullet) return `${bullet[1] ?? ''}• ${inline(bullet[2] ?? '')}`
    return inline(text)
  }

  /** Lines of Markdown, converted and escaped. */
  function markdownLines(markdown: string): Line[] {
    const lines: Line[] = []
    let block = 0
    let fence: string | null = null
    let isTable = false
    let blanks = 0
    for (const text of linesOf(markdown)) {
      const marks = fenceOf(text)
      if (fence !== null) {
        // Only a fence of the same kind, at least as long and without words, ends the block.
        if (marks?.[1]?.startsWith(fence) && marks[2]?.trim() === '') fence = null
        else lines.push({ text: code(text), block })
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
        // The name of the language stays readable if it is more than one word.
        const words = marks[2]?.trim() ?? ''
        if (words.includes(' ')) lines.push({ text: plain(words), block: null })
        continue
      }
      // Columns only line up in a fixed-width font.
      const isRow = /^\s{0,3}\|.*\|\s*$/.test(text)
      if (isRow && !isTable) block += 1
      isTable = isRow
      lines.push(isRow ? { text: code(text), block } : { text: prose(text), block: null })
    }
    return lines
  }

  return {
    plain,
    bold: dialect.bold,
    markdownLines,
    /** Code in a quote is marked line by line, so that it stays code. */
    quoteLines: (markdown: string): Line[] =>
      markdownLines(markdown).map(({ text, block }) => {
        const isCode = block !== null && text.trim() !== ''
        const shown = isCode ? dialect.finish(dialect.codeSpan(text)) : text
        return { text: `${plain('>')} ${shown}`, block: null }
      }),
    codeLines: (text: string): Line[] =>
      linesOf(text.replace(/\n$/, '')).map((line) => ({ text: code(line), block: 1 })),
    plainLines: (text: string): Line[] => linesOf(text).map((line) => ({ text: plain(line), block: null })),
  }
}
