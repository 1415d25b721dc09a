import { hiddenInCode, hiddenInText, named } from '../../../lib/hidden-characters.ts'
import { cutAtWord, splitLines, type Line } from '../split-text.ts'

/**
 * Agents' Markdown as Slack's mrkdwn. All of it is escaped, and no `<` is ever written, so nothing in it can become a
 * mention, a link with another target, or a date.
 */

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Three backticks would begin or end a code block. */
const withoutFence = (text: string): string => text.replaceAll('```', '``\u200b`')

const linesOf = (text: string): string[] => text.replaceAll(/\r\n?/g, '\n').split('\n')

export const codeLine = (text: string): string =>
  escape(withoutFence(text.replaceAll('\t', '    ').replaceAll(hiddenInCode, named)))

/** Text of one line that is not Markdown. */
export const plainLine = (text: string): string => escape(withoutFence(text.replaceAll(hiddenInText, named)))

const image = /!?\[([^[\]]{0,500})\]\(([^()\s]{1,2000})\)/g
const italic = /(?<![*\w])\*(?![*\s])([^*]{1,1000})(?<![*\s])\*(?![*\w])/g
const bold = /\*\*(?![*\s])([^*]{1,1000})(?<![*\s])\*\*/g
const boldByUnderscore = /(?<!\w)__(?![_\s])([^_]{1,1000})(?<![_\s])__(?!\w)/g
const struck = /~~(?![~\s])([^~]{1,1000})(?<![~\s])~~/g

/** The label of a link may lie about its target, so both are shown. */
const link = (_whole: string, label: string, url: string): string =>
  label === '' || label === url ? url : `${label} (${url})`

/** Emphasis and links of one line; code spans stay as they are. */
function inline(text: string): string {
  const parts = text.split(/(`[^`]{1,1000}`)/)
  const converted = parts.map((part, index) =>
    index % 2 === 1
      ? part
      : part
          .replaceAll(image, link)
          .replaceAll(italic, '_$1_')
          .replaceAll(bold, '*$1*')
          .replaceAll(boldByUnderscore, '*$1*')
          .replaceAll(struck, '~$1~'),
  )
  return plainLine(converted.join(''))
}

function prose(text: string): string {
  const heading = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(text)?.[1]
  if (heading !== undefined) return `*${inline(heading.replaceAll('**', '')).trim()}*`
  const bullet = /^(\s{0,40})[-*+]\s+(.*)$/.exec(text)
  if (bullet) return `${bullet[1] ?? ''}• ${inline(bullet[2] ?? '')}`
  return inline(text)
}

/** Lines of Markdown, converted and escaped. */
export function markdownLines(markdown: string): Line[] {
  const lines: Line[] = []
  let block = 0
  let fence: string | null = null
  let isTable = false
  for (const text of linesOf(markdown)) {
    const marks = /^\s{0,3}(`{3,}|~{3,})([^`]*)$/.exec(text)
    if (fence !== null) {
      // Only a fence of the same kind, at least as long and without words, ends the block.
      if (marks?.[1]?.startsWith(fence) && marks[2]?.trim() === '') fence = null
      else lines.push({ text: codeLine(text), block })
      continue
    }
    if (marks?.[1]) {
      fence = marks[1]
      isTable = false
      block += 1
      // The name of the language stays readable if it is more than one word.
      const words = marks[2]?.trim() ?? ''
      if (words.includes(' ')) lines.push({ text: plainLine(words), block: null })
      continue
    }
    // Columns only line up in a fixed-width font.
    const isRow = /^\s{0,3}\|.*\|\s*$/.test(text)
    if (isRow && !isTable) block += 1
    isTable = isRow
    lines.push(isRow ? { text: codeLine(text), block } : { text: prose(text), block: null })
  }
  return lines
}

export const quoteLines = (markdown: string): Line[] =>
  markdownLines(markdown).map(({ text }) => ({ text: `&gt; ${text}`, block: null }))

export const codeLines = (text: string): Line[] =>
  linesOf(text.replace(/\n$/, '')).map((line) => ({ text: codeLine(line), block: 1 }))

export const plainLines = (text: string): Line[] =>
  linesOf(text).map((line) => ({ text: plainLine(line), block: null }))

/** As `cutAtWord`, and never inside `&amp;`, `&lt;` or `&gt;`. */
function cutEscaped(text: string, most: number): number {
  const at = cutAtWord(text, most)
  const ampersand = text.lastIndexOf('&', at - 1)
  const entity = ampersand < 0 ? null : /^&(?:amp|lt|gt);/.exec(text.slice(ampersand, ampersand + 5))
  return entity && ampersand > 0 && ampersand + entity[0].length > at ? ampersand : at
}

export const splitMrkdwn = (lines: readonly Line[], limit: number): string[] => splitLines(lines, limit, cutEscaped)
