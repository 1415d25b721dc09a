import { hiddenInCode, hiddenInText, showHidden } from '../../../lib/hidden-characters.ts'
import { convertLines, linesOf } from '../markdown-lines.ts'
import { cutAtWord, splitLines, type Line } from '../split-text.ts'

/**
 * Agents' Markdown is close to Discord's, so most of it stays. What is escaped: mentions, links that hide their
 * address, hidden text (spoilers), and marks without an end, which would change what follows.
 */

/** Without a backslash: that one does not keep Discord from reading these words as a mention. */
const withoutCrowds = (text: string): string => text.replaceAll(/@(?=everyone|here)/gi, '@\u200b')

/** Three backticks would begin or end a code block. */
const withoutFence = (text: string): string => text.replaceAll('```', '``\u200b`')

export const codeLine = (text: string): string => withoutFence(showHidden(text.replaceAll('\t', '    '), hiddenInCode))

const url = /https?:\/\/[^\s<>`\\[\]|]{1,2000}/y
const link = /!?\[([^[\]\\`]{0,500})\]\(\s*<?(https?:\/\/[^()\s<>`\\[\]|]{1,2000})>?(?:\s+"[^"]{0,200}")?\s*\)/y
const quietLink = /<https?:\/\/[^\s<>`\\[\]|]{1,2000}>/y
const escapePair = /\\[^0-9A-Za-z\s]/y
const ticks = /`+/y
/** Nothing of this begins a mark. */
const ordinary = /[^\\`[!<h|]{1,100}/y
const longestCode = 500

type Token = { readonly kind: 'text' | 'code' | 'url' | 'pair' | 'link' | 'ticks'; readonly text: string }

/** Reads one line as Discord does: what is found first counts. */
function* tokensOf(line: string): Generator<Token & { readonly match: RegExpExecArray | null }> {
  const at = (pattern: RegExp, index: number): RegExpExecArray | null => {
    pattern.lastIndex = index
    return pattern.exec(line)
  }
  let index = 0
  while (index < line.length) {
    const char = line[index]
    let token: Token | null = null
    let match: RegExpExecArray | null = null
    if (char === '\\' && (match = at(escapePair, index))) token = { kind: 'pair', text: match[0] }
    else if (char === '`' && (match = at(ticks, index))) token = codeAt(line, index, match[0])
    else if ((char === '[' || char === '!') && (match = at(link, index))) token = { kind: 'link', text: match[0] }
    else if (char === '<' && (match = at(quietLink, index))) token = { kind: 'url', text: match[0] }
    else if (char === 'h' && (match = at(url, index))) token = { kind: 'url', text: match[0] }
    token ??= { kind: 'text', text: at(ordinary, index)?.[0] ?? char ?? '' }
    index += token.text.length
    yield { ...token, match }
  }
}

/** A span of code ends at as many backticks as it began with. Three would be a code block, even inside a line. */
function codeAt(line: string, index: number, open: string): Token {
  const begin = index + open.length
  const end = Math.min(begin + longestCode, line.length)
  for (const found of open.length > 2 ? [] : line.slice(begin, end).matchAll(/`+/g)) {
    if (found[0].length > 2) break
    const isWhole = begin + found.index + found[0].length < end || end === line.length
    if (found[0] === open && isWhole) return { kind: 'code', text: line.slice(index, begin + found.index) + open }
  }
  return { kind: 'ticks', text: open }
}

/** One line of Markdown, made safe. */
function inline(line: string): string {
  let out = ''
  for (const { kind, text, match } of tokensOf(line)) {
    if (kind === 'ticks') out += text.replaceAll('`', '\\`')
    else if (kind === 'link') {
      // The label of a link may lie about its target, so both are shown.
      const [, label = '', target = ''] = match ?? []
      out += label.trim() === '' || label === target ? target : `${inline(label)} (${target})`
    } else if (kind !== 'text') out += text
    // A bracket could begin a link that ends in a later line, or inside a span of code.
    else if (text === '<' || text === '|' || text === '[') out += `\\${text}`
    else out += text
  }
  return out
}

const prose = (text: string): string => withoutCrowds(inline(showHidden(text, hiddenInText)))

function proseLine(text: string): string {
  // Discord has three levels of headings.
  const heading = /^ {0,3}#{4,6}\s+(\S.*)$/.exec(text)?.[1]
  if (heading !== undefined) return `**${prose(heading.replaceAll('**', '')).trim()}**`
  // This would quote everything that follows.
  return prose(text).replace(/^(\s*)>>>/, '$1\\>>>')
}

/** Text of one line that is not Markdown. Addresses stay as they are: a backslash would become part of them. */
export const plainLine = (text: string): string =>
  withoutCrowds(
    showHidden(text, hiddenInText)
      .split(/(https?:\/\/[^\s<>`\\[\]|*]+)/)
      .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\\*_~`|<>[\]#]/g, '\\$&')))
      .join('')
      .replace(/^(\s*)([-+])(?=\s|#)/, '$1\\$2'),
  )

/** Lines of Markdown, made safe. */
export const markdownLines = (markdown: string): Line[] =>
  convertLines(markdown, {
    code: codeLine,
    prose: proseLine,
    // Two bars would begin hidden text.
    isRow: (text) => /^\s{0,3}\|(?!\|).*\|\s*$/.test(text),
    afterFence(words) {
      const language = /^[\w+#.-]{1,20}$/.test(words) ? words : ''
      // What is not the name of a language stays readable.
      return { shown: words === language ? null : plainLine(words), language }
    },
  })

/** Code inside a quote would need its fences quoted too, so it is shown as text. */
export function quoteLines(markdown: string): Line[] {
  const quoted = (text: string): Line => ({ text: `> ${text}`, block: null })
  let inCode = false
  return linesOf(markdown).map((text) => {
    const isFence = /^\s{0,3}(?:`{3,}|~{3,})/.test(text)
    if (isFence) inCode = !inCode
    return quoted(inCode || isFence ? plainLine(text) : proseLine(text))
  })
}

export const codeLines = (text: string, language = ''): Line[] =>
  linesOf(text.replace(/\n$/, '')).map((line) => ({ text: codeLine(line), block: 1, language }))

export const plainLines = (text: string): Line[] =>
  linesOf(text).map((line) => ({ text: plainLine(line), block: null }))

/** As `cutAtWord`, and never inside an escape, an address or a span of code: the rest would be read as something else. */
function cutOutside(text: string, most: number): number {
  const at = cutAtWord(text, most)
  let start = 0
  for (const token of tokensOf(text)) {
    const end = start + token.text.length
    if (end > at) return token.kind !== 'text' && start > 0 && start < at ? start : at
    start = end
  }
  return at
}

export const splitMarkdown = (lines: readonly Line[], limit: number): string[] => splitLines(lines, limit, cutOutside)
