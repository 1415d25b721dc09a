import { hiddenInText, named } from '../../../lib/hidden-characters.ts'
import type { Json } from '../../../lib/json.ts'
import { mostDiffLinesInCard, type Button, type Card, type CardLine, type Content, type Rendered } from '../adapter.ts'
import { counted, countLines, longLabels, rawText, shortLabel, shortTitle, tones } from '../card-lines.ts'
import type { Line } from '../split-text.ts'
import { codeLines, markdownLines, plainLine, plainLines, quoteLines, splitMarkdown } from './markdown.ts'

/** Of one message. */
export const mostText = 2000
export const mostButtons = 25
const mostLabel = 80
export const mostFileBytes = 10 * 1024 * 1024
const buttonsInRow = 5
/** An embed has at most 4,096 characters in its description, all embeds of a message 6,000. */
const mostEmbed = 4000
const mostExcerpt = 800
const mostCodeLines = 40
const mostTitle = 600
const mostFooter = 500
/** For the sentence that names a file. */
const noteSize = 150

/** Keeps Discord from showing previews of links, which people would take for our own words. It hides embeds too. */
const noPreviews = 1 << 2

/** The body of our messages, as `send` uses it. `send` itself says who is mentioned. */
export type MessageBody = {
  readonly content: string
  readonly embeds: readonly Json[]
  readonly components: readonly Json[]
  readonly flags: number
  readonly mention: string | null
  /** `@here` in the text notifies those who are online. */
  readonly everyone?: boolean
}

const plain: MessageBody = { content: '', embeds: [], components: [], flags: noPreviews, mention: null }
const message = (content: string): Rendered => ({ body: { ...plain, content }, file: null })

export function renderDiscord(content: Content): readonly Rendered[] {
  switch (content.kind) {
    case 'text':
      return splitMarkdown(markdownLines(content.text), mostText).map(message)
    case 'card':
      return renderCard(content.card)
    default:
      return renderFile(content.name, content.bytes, content.text)
  }
}

function renderFile(name: string, bytes: Buffer, text: string | null): Rendered[] {
  const safeName =
    name
      .toWellFormed()
      .replaceAll(/[/\\\p{Cc}]/gu, '_')
      .slice(-200)
      .toWellFormed() || 'file'
  const words = text === null ? [] : splitMarkdown(markdownLines(text), mostText)
  // Discord takes no empty files.
  if (bytes.length === 0) return [...words, `${plainLine(safeName)} (empty file)`].map(message)
  const comment = words.length === 1 ? (words[0] ?? '') : ''
  const before = comment === '' ? words.map(message) : []
  return [...before, { body: { ...plain, content: comment }, file: { name: safeName, bytes } }]
}

const personId = /^\d{15,20}$/
const colours = { waiting: 0xf0b132, good: 0x23a55a, bad: 0xda373c, quiet: 0x80848e } as const

/** One message, and files for what does not fit in it. */
function renderCard({ title, tone, lines, buttons, footer, mention, notify }: Card): Rendered[] {
  const extra: CardLine[] = []
  const heading = fittingTitle(title)
  if (heading !== title) extra.push({ kind: 'text', text: title })
  const small =
    footer === null
      ? ''
      : footer
          .replaceAll(/[\s\p{Cc}]+/gu, ' ')
          .replaceAll(hiddenInText, named)
          .trim()
  const foot = small === '' || plainLine(small).length > mostFooter ? '' : `-# ${plainLine(small)}`
  if (footer !== null && foot === '' && small !== '') extra.push({ kind: 'text', text: footer })
  const person = mention !== null && personId.test(mention) ? mention : null
  const shownTitle = plainLine(heading).trim()
  const everyone = notify === 'channel'
  const called = everyone ? '@here ' : person === null ? '' : `<@${person}> `
  const head = `${called}${tones[tone]}${shownTitle === '' ? '' : ` **${shownTitle}**`}`

  const all = [...extra, ...lines, ...longLabels(buttons, { buttons: mostButtons, label: mostLabel })]
  const card = { components: rowsOf(buttons), mention: person, ...(everyone && { everyone }) }
  const room = mostText - head.length - foot.length - 2
  const inText = showLines(all, room)
  if (inText.isWhole) {
    const content = [head, ...inText.sections, foot].filter((part) => part !== '').join('\n')
    return [{ body: { ...plain, ...card, content }, file: null }, ...inText.files]
  }
  // An embed has room for twice as much. The people who are told see the heading first.
  const { sections, files } = showLines(all, mostEmbed)
  const embed = {
    description: sections.join('\n'),
    color: colours[tone],
    // Nothing in it is read as Markdown.
    ...(foot !== '' && { footer: { text: small } }),
  }
  return [{ body: { ...card, content: head, embeds: [embed], flags: 0 } satisfies MessageBody, file: null }, ...files]
}

/** Hidden characters are written out, so a short title may become a long one. */
function fittingTitle(title: string): string {
  let short = shortTitle(title)
  while (plainLine(short).length > mostTitle) short = `${short.slice(0, Math.floor(short.length / 2))}…`
  return short
}

const styles = { primary: 1, plain: 2, danger: 4 } as const

function rowsOf(buttons: readonly Button[]): Json[] {
  const shown = buttons.slice(0, mostButtons).map(buttonOf)
  return Array.from({ length: Math.ceil(shown.length / buttonsInRow) }, (_, row) => ({
    type: 1,
    components: shown.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  }))
}

/** Ids must be unique in a message, so they begin with a number. */
const buttonOf = ({ action, label, style }: Button, index: number): Json => ({
  type: 2,
  style: styles[style],
  label: shortLabel(label, mostLabel),
  custom_id: `${index}:${action}`,
})
/** `Button.action` of a component; null if it is not ours. */
export const actionOf = (customId: string): string | null => /^\d{1,2}:([^]+)$/.exec(customId)?.[1] ?? null
/** Forms have ids in the same space. */
export const formPrefix = 'form:'

type Shown = { sections: string[]; files: Rendered[]; isWhole: boolean }

/** Lines in order, while there is room. What does not fit is in files, whole. */
function showLines(lines: readonly CardLine[], mostRoom: number): Shown {
  const sections: string[] = []
  const files: Rendered[] = []
  let isWhole = true
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
    let shown = splitMarkdown(rendered, mostRoom)
    const isDiff = line.kind === 'diff'
    const mostLines = isDiff ? mostDiffLinesInCard : line.kind === 'code' ? mostCodeLines : Infinity
    if (count > mostLines || (mostLines < Infinity && shown.length > 1)) {
      isWhole &&= count > mostLines
      const name = addFile(isDiff ? 'changes' : 'details', isDiff ? '.diff' : '.txt', raw)
      shown = [`The ${isDiff ? 'diff' : 'text'} has ${counted(count, 'line')}. It is in the file ${name}.`]
    }
    const size = shown.reduce((sum, text) => sum + text.length + 1, 0)
    const isLast = index === lines.length - 1
    if (size + (isLast ? 0 : noteSize) > room) {
      const [excerpt = ''] = splitMarkdown(rendered, mostExcerpt)
      const rest = lines.slice(index).map(rawText).join('\n\n')
      const name = addFile('details', '.txt', rest)
      sections.push(
        ...(excerpt !== '' && excerpt.length + 1 + noteSize <= room ? [excerpt] : []),
        `The whole text (${counted(countLines(rest), 'line')}) is in the file ${name}.`,
      )
      return { sections, files, isWhole: false }
    }
    room -= size
    sections.push(...shown)
  }
  return { sections, files, isWhole }
}

function renderLine(line: CardLine): Line[] {
  switch (line.kind) {
    case 'text':
      return markdownLines(line.text)
    case 'quote':
      return quoteLines(line.text)
    case 'code':
      return codeLines(line.text)
    case 'diff':
      return codeLines(line.text, 'diff')
    default:
      return line.fields.flatMap(([label, value]) => {
        const [first, ...more] = plainLines(value)
        const name = plainLine(label.replaceAll(/\s+/g, ' ')).trim()
        return [{ text: `**${name}:** ${first?.text ?? ''}`, block: null }, ...more]
      })
  }
}
