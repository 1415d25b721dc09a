import type { Json } from '../../../lib/json.ts'
import type { Button, Card, CardLine, Content, Rendered } from '../adapter.ts'
import { longLabels, shortLabel, shortTitle, showLines, tones, type CardStyle } from '../card-lines.ts'
import { renderFile } from '../render-file.ts'
import { mrkdwn, plainLine, splitMrkdwn } from './mrkdwn.ts'

/**
 * `chat.update` takes less text than `chat.postMessage`, and what is streamed is edited, so its limit of 4,000 holds for
 * both.
 */
export const mostText = 3900
/** A section has at most 3,000 characters, all blocks of a message about 13,200. */
const mostCard = 12_000
const mostFooter = 1000
const mostLabel = 75
export const mostButtons = 25

/** The bodies of our messages, as `send` uses them. */
export type MessageBody = {
  readonly text: string
  readonly blocks: readonly Json[]
  /** Also shown in the channel: `<!channel>` in a thread reaches only those who follow it. */
  readonly broadcast?: boolean
}
export type FileBody = { readonly comment: string | null }

const message = (text: string, blocks: readonly Json[] = [], broadcast = false): Rendered => ({
  body: { text, blocks, ...(broadcast && { broadcast }) } satisfies MessageBody,
  file: null,
})
/** As it is sent: line ends and quotes take two characters. */
const sizeOf = (blocks: Json): number => JSON.stringify(blocks).length
const section = (text: string): Json => ({ type: 'section', text: { type: 'mrkdwn', text } })
const textsOf = (markdown: string, limit: number): string[] => splitMrkdwn(mrkdwn.markdownLines(markdown), limit)

export function renderSlack(content: Content): readonly Rendered[] {
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
    body: (comment) => ({ comment }) satisfies FileBody,
    mostText,
    mostCaption: mostText,
  })

const cardStyle: CardStyle = {
  markdown: mrkdwn,
  split: splitMrkdwn,
  sizeOf: (text) => sizeOf(section(text)),
  file: (name, text) => fileOf({ name, bytes: Buffer.from(text), text: null }),
  mostSection: 2900,
  mostSections: 35,
  mostExcerpt: 1200,
}

const userId = /^[UW][A-Z0-9]{1,30}$/

/** One message, and files for what does not fit in it. */
function renderCard({ title, tone, lines, buttons, footer, mention, notify }: Card): Rendered[] {
  const extra: CardLine[] = []
  const heading = shortTitle(title)
  if (heading !== title) extra.push({ kind: 'text', text: title })
  if (footer !== null && plainLine(footer).length > mostFooter) extra.push({ kind: 'text', text: footer })
  const person = mention !== null && userId.test(mention) ? `<@${mention}> ` : ''
  const everyone = notify === 'channel'
  const head = `${everyone ? '<!channel> ' : person}${tones[tone]} *${plainLine(heading)}*`

  const below: Json[] = []
  if (buttons.length > 0) below.push({ type: 'actions', elements: buttons.slice(0, mostButtons).map(buttonOf) })
  if (footer !== null && footer.trim() !== '' && plainLine(footer).length <= mostFooter)
    below.push({ type: 'context', elements: [{ type: 'mrkdwn', text: plainLine(footer) }] })
  const labels = longLabels(buttons, { buttons: mostButtons, label: mostLabel })
  const room = mostCard - sizeOf(section(head)) - sizeOf(below)
  const { sections, files } = showLines([...extra, ...lines, ...labels], room, cardStyle)
  const blocks = [...[head, ...sections].map(section), ...below]
  return [message(head, blocks, everyone), ...files]
}

/** `action_id` must be unique; the action itself is the value. */
const buttonOf = ({ action, label, style }: Button, index: number): Json => ({
  type: 'button',
  action_id: `b${index}`,
  value: action,
  text: { type: 'plain_text', text: shortLabel(label, mostLabel), emoji: false },
  ...(style !== 'plain' && { style }),
})
