import type { Json } from '../../../lib/json.ts'
import { mostDiffLinesInCard, type Button, type Card, type CardLine, type Content, type Rendered } from '../adapter.ts'
import { codeLines, markdownLines, plainLine, plainLines, quoteLines, splitMrkdwn } from './mrkdwn.ts'
import type { Line } from '../split-text.ts'

/**
 * `chat.update` takes less text than `chat.postMessage`, and what is streamed is edited, so its limit of 4,000 holds for
 * both.
 */
export const mostText = 3900
/** A section has at most 3,000 characters, all blocks of a message about 13,200. */
const mostSection = 2900
const mostCard = 12_000
const mostExcerpt = 1200
const mostSections = 35
const mostCodeLines = 40
const mostTitle = 250
const mostFooter = 1000
const mostLabel = 75
export const mostButtons = 25

/** The bodies of our messages, as `send` uses them. */
export type MessageBody = { readonly text: string; readonly blocks: readonly Json[] }
export type FileBody = { readonly comment: string | null }

const message = (text: string, blocks: readonly Json[] = []): Rendered => ({
  body: { text, blocks } satisfies MessageBody,
  file: null,
})
/** As it is sent: line ends and quotes take two characters. */
const sizeOf = (blocks: Json): number => JSON.stringify(blocks).length
/** For the sentence that names a file. */
const noteSize = 200
const section = (text: string): Json => ({ type: 'section', text: { type: 'mrkdwn', text } })

export function renderSlack(content: Content): readonly Rendered[] {
  switch (content.kind) {
    case 'text':
      return splitMrkdwn(markdownLines(content.text), mostText).map((text) => message(text))
    case 'card':
      return renderCard(content.card)
    default:
      return renderFile(content.name, content.bytes, content.text)
  }
}

function renderFile(name: string, bytes: Buffer, text: string | null): Rendered[] {
  const safeName = name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(-200) || 'file'
  const words = text === null ? [] : splitMrkdwn(markdownLines(text), mostText)
  // Slack takes no empty files.
  if (bytes.length === 0) return [...words, `${plainLine(safeName)} (empty file)`].map((part) => message(part))
  const comment = words.length === 1 ? (words[0] ?? null) : null
  const before = comment === null ? words.map((part) => message(part)) : []
  return [...before, { body: { comment } satisfies FileBody, file: { name: safeName, bytes } }]
}

export const tones = { waiting: '🟡', good: '✅', bad: '🔴', quiet: '⚪' } as const
const userId = /^[UW][A-Z0-9]{1,30}$/

/** One message, and files for what does not fit in it. */
function renderCard({ title, tone, lines, buttons, footer, mention }: Card): Rendered[] {
  const extra: CardLine[] = []
  const heading = shortTitle(title)
  if (heading !== title) extra.push({ kind: 'text', text: title })
  if (footer !== null && plainLine(footer).length > mostFooter) extra.push({ kind: 'text', text: footer })
  const person = mention !== null && userId.test(mention) ? `<@${mention}> ` : ''
  const head = `${person}${tones[tone]} *${plainLine(heading)}*`

  const below: Json[] = []
  if (buttons.length > 0) below.push({ type: 'actions', elements: buttons.slice(0, mostButtons).map(buttonOf) })
  if (footer !== null && footer.trim() !== '' && plainLine(footer).length <= mostFooter)
    below.push({ type: 'context', elements: [{ type: 'mrkdwn', text: plainLine(footer) }] })
  const room = mostCard - sizeOf(section(head)) - sizeOf(below)
  const { sections, files } = showLines([...extra, ...lines, ...longLabels(buttons)], room)
  const blocks = [...[head, ...sections].map(section), ...below]
  return [message(head, blocks), ...files]
}

export function shortTitle(title: string): string {
  const [first = ''] = title.split('\n')
  return first.length > mostTitle ? `${first.slice(0, mostTitle - 1)}…` : first
}

/** `action_id` must be unique; the action itself is the value. */
const buttonOf = ({ action, label, style }: Button, index: number): Json => ({
  type: 'button',
  action_id: `b${index}`,
  value: action,
  text: { type: 'plain_text', text: shortLabel(label), emoji: false },
  ...(style !== 'plain' && { style }),
})
export const shortLabel = (label: string): string => {
  const line = cleanLabel(label)
  return line.length > mostLabel ? `${line.slice(0, mostLabel - 1).toWellFormed()}…` : line === '' ? '–' : line
}
const cleanLabel = (label: string): string =>
  label
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** Labels that a button cannot show in full, and those for which there is no button, in the text above. */
export function longLabels(buttons: readonly Button[]): CardLine[] {
  const isShown = buttons.length <= mostButtons && buttons.every(({ label }) => cleanLabel(label).length <= mostLabel)
  return isShown ? [] : [{ kind: 'fields', fields: buttons.map(({ label }, index) => [String(index + 1), label]) }]
}

/** Lines in order, while there is room. What does not fit is in files, whole. */
function showLines(lines: readonly CardLine[], mostRoom: number): { sections: string[]; files: Rendered[] } {
  const sections: string[] = []
  const files: Rendered[] = []
  const addFile = (stem: string, ending: string, text: string): string => {
    const name = `${stem}${files.length === 0 ? '' : `-${files.length + 1}`}${ending}`
    files.push(...renderFile(name, Buffer.from(text), null))
    return name
  }
  let room = mostRoom
  for (const [index, line] of lines.entries()) {
    const raw = rawText(line)
    const count = countLines(raw)
    const rendered = renderLine(line)
    let shown = splitMrkdwn(rendered, mostSection)
    const mostLines = line.kind === 'diff' ? mostDiffLinesInCard : line.kind === 'code' ? mostCodeLines : Infinity
    if (count > mostLines || (mostLines < Infinity && shown.length > 1)) {
      const isDiff = line.kind === 'diff'
      const name = addFile(isDiff ? 'changes' : 'details', isDiff ? '.diff' : '.txt', raw)
      shown = [`The ${isDiff ? 'diff' : 'text'} has ${counted(count, 'line')}. It is in the file ${name}.`]
    }
    const size = shown.reduce((sum, text) => sum + sizeOf(section(text)), 0)
    if (size + noteSize > room || sections.length + shown.length > mostSections) {
      const [excerpt = ''] = splitMrkdwn(rendered, mostExcerpt)
      const rest = lines.slice(index).map(rawText).join('\n\n')
      const name = addFile('details', '.txt', rest)
      sections.push(
        ...(excerpt !== '' && sizeOf(section(excerpt)) + noteSize <= room ? [excerpt] : []),
        `The whole text (${counted(countLines(rest), 'line')}) is in the file ${name}.`,
      )
      break
    }
    room -= size
    sections.push(...shown)
  }
  return { sections, files }
}

export const rawText = (line: CardLine): string =>
  line.kind === 'fields' ? line.fields.map(([label, value]) => `${label}: ${value}`).join('\n') : line.text
export const countLines = (text: string): number => text.replace(/\n$/, '').split('\n').length
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function renderLine(line: CardLine): Line[] {
  switch (line.kind) {
    case 'text':
      return markdownLines(line.text)
    case 'quote':
      return quoteLines(line.text)
    case 'code':
    case 'diff':
      return codeLines(line.text)
    default:
      return line.fields.flatMap(([label, value]) => {
        const [first, ...more] = plainLines(value)
        const name = plainLine(label.replaceAll(/\s+/g, ' ')).trim()
        return [{ text: `*${name}:* ${first?.text ?? ''}`, block: null }, ...more]
      })
  }
}
