import type { Json } from '../../../lib/json.ts'
import type { Button, Card, CardLine, Content, Rendered } from '../adapter.ts'
import { longLabels, shortLabel, shortTitle, showLines, tones, type CardStyle } from '../card-lines.ts'
import { renderFile } from '../render-file.ts'
import { html, plainLine, splitHtml } from './html.ts'

/** Telegram counts without tags and escapes; counting them too is always enough. */
export const mostText = 4096
const mostCaption = 1024
const mostFooter = 500
const mostLabel = 60
export const mostButtons = 30
/** So many characters of labels are readable side by side on a phone. */
const mostRowCharacters = 30
const mostInRow = 3

/** The bodies of our messages, as `send` uses them. */
export type MessageBody = { readonly text: string; readonly keyboard: readonly (readonly Json[])[] }
export type FileBody = { readonly caption: string | null }

const message = (text: string, keyboard: MessageBody['keyboard'] = []): Rendered => ({
  body: { text, keyboard } satisfies MessageBody,
  file: null,
})
const textsOf = (markdown: string, limit: number): string[] => splitHtml(html.markdownLines(markdown), limit)

export function renderTelegram(content: Content): readonly Rendered[] {
  switch (content.kind) {
    case 'text':
      return textsOf(content.text, mostText).map((text) => message(text))
    case 'card':
      return renderCard(content.card)
    default:
      return fileOf(content)
  }
}

const fileOf = (file: { name: string; bytes: Buffer; text: string | null }): Rendered[] =>
  renderFile(file, {
    texts: textsOf,
    plain: plainLine,
    message: (text) => message(text),
    body: (caption) => ({ caption }) satisfies FileBody,
    mostText,
    mostCaption,
  })

const between = '\n\n'

const cardStyle: CardStyle = {
  markdown: html,
  split: splitHtml,
  sizeOf: (text) => text.length + between.length,
  file: (name, text) => fileOf({ name, bytes: Buffer.from(text), text: null }),
  mostSection: 3000,
  mostSections: 60,
  mostExcerpt: 1000,
}

const userId = /^[1-9]\d{0,15}$/

/** One message, and files for what does not fit in it. */
function renderCard({ title, tone, lines, buttons, footer, mention }: Card): Rendered[] {
  const extra: CardLine[] = []
  const heading = shortTitle(title)
  if (heading !== title) extra.push({ kind: 'text', text: title })
  const below = footer === null ? '' : plainLine(footer.trim())
  if (below.length > mostFooter) extra.push({ kind: 'text', text: footer ?? '' })
  const person = mention !== null && userId.test(mention) ? `<a href="tg://user?id=${mention}">🔔</a> ` : ''
  const head = `${person}${tones[tone]} <b>${plainLine(heading)}</b>`
  const foot = below === '' || below.length > mostFooter ? [] : [`<i>${below}</i>`]

  const labels = longLabels(buttons, { buttons: mostButtons, label: mostLabel })
  const room = mostText - [head, ...foot].reduce((sum, text) => sum + cardStyle.sizeOf(text), 0)
  const { sections, files } = showLines([...extra, ...lines, ...labels], room, cardStyle)
  const text = [head, ...sections, ...foot].join(between)
  return [message(text, keyboardOf(buttons.slice(0, mostButtons))), ...files]
}

/** Short labels side by side, long ones on a row of their own. */
function keyboardOf(buttons: readonly Button[]): Json[][] {
  const rows: Json[][] = []
  let characters = 0
  for (const { action, label, style } of buttons) {
    const text = shortLabel(label, mostLabel)
    const row = rows.at(-1)
    const button: Json = { text, callback_data: action, ...(style !== 'plain' && { style }) }
    characters += text.length
    if (row && row.length < mostInRow && characters <= mostRowCharacters) row.push(button)
    else {
      rows.push([button])
      characters = text.length
    }
  }
  return rows
}
