import { hiddenInCode, hiddenInText, showHidden } from '../../../lib/hidden-characters.ts'
import { cutEscaped, escape } from '../escape-html.ts'
import { createMarkdown } from '../markdown.ts'
import { splitLines, type Line } from '../split-text.ts'

/**
 * Agents' Markdown as Slack's mrkdwn. All of it is escaped, and no `<` is ever written, so nothing in it can become a
 * mention, a link with another target, or a date.
 */

/** Three backticks would begin or end a code block. */
const withoutFence = (text: string): string => text.replaceAll('```', '``\u200b`')

const codeLine = (text: string): string => escape(withoutFence(showHidden(text.replaceAll('\t', '    '), hiddenInCode)))

/** Text of one line that is not Markdown. */
export const plainLine = (text: string): string => escape(withoutFence(showHidden(text, hiddenInText)))

export const mrkdwn = createMarkdown({
  plain: plainLine,
  code: codeLine,
  bold: (text) => `*${text}*`,
  italic: (text) => `_${text}_`,
  struck: (text) => `~${text}~`,
  codeSpan: (code) => `\`${code}\``,
  finish: withoutFence,
})

export const splitMrkdwn = (lines: readonly Line[], limit: number): string[] => splitLines(lines, limit, cutEscaped)
