import { convertLines, linesOf } from './markdown-lines.ts'
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
  const markdownLines = (markdown: string): Line[] =>
    convertLines(markdown, {
      code,
      prose,
      isRow: (text) => /^\s{0,3}\|.*\|\s*$/.test(text),
      // The name of the language stays readable if it is more than one word.
      afterFence: (words) => ({ shown: words.includes(' ') ? plain(words) : null }),
    })

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
