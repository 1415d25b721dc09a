import { mostDiffLinesInCard, type Card, type CardLine, type Content, type Rendered } from '../adapter.ts'
import { splitLines, type Line } from '../split-text.ts'

/** Fits every platform of the library, also when it escapes what it sends: they cut what is too long without a word. */
export const mostText = 1900
export const mostButtons = 5
const mostCardText = 1500
const mostLabel = 75

type Body = { readonly markdown: string; readonly buttons: readonly { action: string; label: string; style: string }[] }

const message = (markdown: string, buttons: Body['buttons'] = []): Rendered => ({
  body: { markdown, buttons } satisfies Body,
  file: null,
})

/** Markdown for the adapter to convert. Nobody is mentioned: an invisible character breaks every mention. */
export function renderBridge(content: Content): readonly Rendered[] {
  if (content.kind === 'text') return splitText(content.text).map((text) => message(text))
  if (content.kind === 'card') return renderCard(content.card)
  return renderFile(content.name, content.bytes, content.text)
}

function renderFile(name: string, bytes: Buffer, text: string | null): Rendered[] {
  const safeName = name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(-200) || 'file'
  const words = text === null ? [] : splitText(text)
  if (bytes.length === 0) return [...words, `${silent(safeName)} (empty file)`].map((part) => message(part))
  return [
    ...words.map((part) => message(part)),
    { body: { markdown: silent(safeName), buttons: [] } satisfies Body, file: { name: safeName, bytes } },
  ]
}

const tones = { waiting: '🟡', good: '✅', bad: '🔴', quiet: '⚪' } as const

/** One message, and files for what does not fit in it. */
function renderCard({ title, tone, lines, buttons, footer }: Card): Rendered[] {
  const files: Rendered[] = []
  const shown: string[] = [`${tones[tone]} **${plain(title).slice(0, 250)}**`]
  const all: CardLine[] = [
    ...(plain(title).length > 250 ? [{ kind: 'text', text: title } as const] : []),
    ...lines,
    ...(buttons.length > mostButtons ? [labels(buttons.map(({ label }) => label))] : []),
    ...(footer === null || footer.trim() === '' ? [] : [{ kind: 'text', text: footer } as const]),
  ]
  let room = mostCardText
  for (const line of all) {
    const text = markdownOf(line)
    const count = rawOf(line).replace(/\n$/, '').split('\n').length
    if (text.length <= room && !(line.kind === 'diff' && count > mostDiffLinesInCard)) {
      room -= text.length + 2
      shown.push(text)
      continue
    }
    const isDiff = line.kind === 'diff'
    const nth = files.length === 0 ? '' : `-${files.length + 1}`
    const name = `${isDiff ? 'changes' : 'details'}${nth}${isDiff ? '.diff' : '.txt'}`
    files.push(...renderFile(name, Buffer.from(rawOf(line)), null))
    shown.push(
      `The ${isDiff ? 'diff' : 'text'} has ${count} ${count === 1 ? 'line' : 'lines'}. It is in the file ${name}.`,
    )
  }
  const pressed = buttons.slice(0, mostButtons).map(({ action, label, style }) => ({
    action,
    label: oneLine(label).slice(0, mostLabel) || '–',
    style,
  }))
  return [message(shown.join('\n\n'), pressed), ...files]
}

const labels = (names: readonly string[]): CardLine => ({
  kind: 'fields',
  fields: names.map((name, index) => [String(index + 1), name] as const),
})

const rawOf = (line: CardLine): string =>
  line.kind === 'fields' ? line.fields.map(([label, value]) => `${label}: ${value}`).join('\n') : line.text

function markdownOf(line: CardLine): string {
  switch (line.kind) {
    case 'text':
      return silent(line.text)
    case 'quote':
      return silent(line.text).replaceAll(/^/gm, '> ')
    case 'code':
    case 'diff':
      return `\`\`\`\n${silent(line.text).replaceAll('```', "'''")}\n\`\`\``
    default:
      return line.fields.map(([label, value]) => `**${plain(label)}:** ${plain(value)}`).join('\n')
  }
}

function splitText(text: string): string[] {
  const lines: Line[] = []
  let block: number | null = null
  for (const [index, line] of silent(text).split('\n').entries()) {
    if (/^\s*```/.test(line)) {
      block = block === null ? index : null
      continue
    }
    lines.push({ text: line, block })
  }
  return splitLines(lines, mostText)
}

/** Titles and labels: one line, and no marks. */
const plain = (text: string): string => silent(oneLine(text)).replaceAll(/([\\`*_[\]<>#|~])/g, '\\$1')

const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** `@name`, `<@id>` and `<!channel>` mean nothing with a joiner after the sign. */
const silent = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/(?<![\p{L}\p{N}.])@(?=[\p{L}\p{N}_<])/gu, '@\u2060')
    .replaceAll(/<(?=[@!#&])/g, '<\u2060')
