import { hiddenInCode, hiddenInText, showHidden } from '../../../lib/hidden-characters.ts'
import { cutEscaped, escape } from '../escape-html.ts'
import { createMarkdown } from '../markdown.ts'
import { splitLines, type Line } from '../split-text.ts'

/**
 * Agents' Markdown as Telegram's HTML. All of it is escaped, and only the tags below are written, so nothing in it can
 * become a link with another target or a mention by id.
 */

/**
 * Telegram makes a mention of every `@name` outside of code. A word joiner, which nobody sees, prevents that. After a
 * letter it is an e-mail address.
 */
const withoutMentions = (text: string): string => text.replaceAll(/(?<![A-Za-z0-9])@(?=\w)/g, '@\u2060')

const codeLine = (text: string): string => escape(showHidden(text.replaceAll('\t', '    '), hiddenInCode))

/** Text of one line that is not Markdown. */
export const plainLine = (text: string): string => escape(withoutMentions(showHidden(text, hiddenInText)))

/** Emphasis may overlap in Markdown, for example `**a ~~b** c~~`. Tags may not. */
function balanced(line: string): string {
  const open: string[] = []
  const parts = line.split(/(<\/?[bis]>)/).map((part, index) => {
    if (index % 2 === 0) return part
    const tag = part.replaceAll(/[</>]/g, '')
    if (!part.startsWith('</')) {
      open.push(tag)
      return part
    }
    const at = open.lastIndexOf(tag)
    if (at < 0) return ''
    const inside = open.splice(at).slice(1)
    const closed = inside.toReversed().map((one) => `</${one}>`)
    open.push(...inside)
    return `${closed.join('')}${part}${inside.map((one) => `<${one}>`).join('')}`
  })
  return (
    parts.join('') +
    open
      .map((one) => `</${one}>`)
      .toReversed()
      .join('')
  )
}

export const html = createMarkdown({
  plain: plainLine,
  code: codeLine,
  bold: (text) => `<b>${text}</b>`,
  italic: (text) => `<i>${text}</i>`,
  struck: (text) => `<s>${text}</s>`,
  codeSpan: (code) => `<code>${code}</code>`,
  finish: balanced,
})

const fence = { open: '<pre>', close: '</pre>' }
const tags = /<\/?(?:b|i|s|code|pre)>/g

/** As `cutEscaped`, and not before an `@` that would then be the first character of a mention. */
function cutHtml(text: string, most: number): number {
  const at = cutEscaped(text, most)
  return text.charAt(at) === '@' && /\w/.test(text.charAt(at + 1)) ? at - 1 : at
}

/** Texts of at most `limit` characters, each with all its tags closed, and none without something to see. */
export function splitHtml(lines: readonly Line[], limit: number): string[] {
  const room = limit - fence.open.length - fence.close.length
  // A line that must be cut has no tags, so that none is cut open.
  const safe = lines.map((line) =>
    line.block === null && line.text.length > room
      ? { ...line, text: withoutMentions(line.text.replaceAll(tags, '')) }
      : line,
  )
  return splitLines(safe, limit, cutHtml, fence).filter((text) => text.replaceAll(tags, '').trim() !== '')
}
