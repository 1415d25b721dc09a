import { mostDiffLinesInCard, type Button, type CardLine, type Rendered } from './adapter.ts'
import type { Markdown } from './markdown.ts'
import type { Line } from './split-text.ts'

/** How much of a card a platform shows in its one message. */
export type CardStyle = {
  readonly markdown: Markdown
  split(lines: readonly Line[], limit: number): string[]
  /** What a section takes of the room. */
  sizeOf(section: string): number
  file(name: string, text: string): readonly Rendered[]
  readonly mostSection: number
  readonly mostSections: number
  readonly mostExcerpt: number
}

const mostCodeLines = 40
const mostTitle = 250
/** For the sentence that names a file. */
const noteSize = 200

/** Lines in order, while there is room. What does not fit is in files, whole. */
export function showLines(
  lines: readonly CardLine[],
  mostRoom: number,
  style: CardStyle,
): { sections: string[]; files: Rendered[] } {
  const { markdown, split, sizeOf } = style
  const sections: string[] = []
  const files: Rendered[] = []
  const addFile = (stem: string, ending: string, text: string): string => {
    const name = `${stem}${files.length === 0 ? '' : `-${files.length + 1}`}${ending}`
    files.push(...style.file(name, text))
    return name
  }
  let room = mostRoom
  for (const [index, line] of lines.entries()) {
    const raw = rawText(line)
    const count = countLines(raw)
    const rendered = renderLine(line, markdown)
    let shown = split(rendered, style.mostSection)
    const mostLines = line.kind === 'diff' ? mostDiffLinesInCard : line.kind === 'code' ? mostCodeLines : Infinity
    if (count > mostLines || (mostLines < Infinity && shown.length > 1)) {
      const isDiff = line.kind === 'diff'
      const name = addFile(isDiff ? 'changes' : 'details', isDiff ? '.diff' : '.txt', raw)
      shown = [`The ${isDiff ? 'diff' : 'text'} has ${counted(count, 'line')}. It is in the file ${name}.`]
    }
    const size = shown.reduce((sum, text) => sum + sizeOf(text), 0)
    if (size + noteSize > room || sections.length + shown.length > style.mostSections) {
      const [excerpt = ''] = split(rendered, style.mostExcerpt)
      const rest = lines.slice(index).map(rawText).join('\n\n')
      const name = addFile('details', '.txt', rest)
      sections.push(
        ...(excerpt !== '' && sizeOf(excerpt) + noteSize <= room ? [excerpt] : []),
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

function renderLine(
  line: CardLine,
  { markdownLines, quoteLines, codeLines, plainLines, plain, bold }: Markdown,
): Line[] {
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
        const name = plain(label.replaceAll(/\s+/g, ' ')).trim()
        return [{ text: `${bold(`${name}:`)} ${first?.text ?? ''}`, block: null }, ...more]
      })
  }
}

export const tones = { waiting: '🟡', good: '✅', bad: '🔴', quiet: '⚪' } as const

export function shortTitle(title: string): string {
  const [first = ''] = title.split('\n')
  return first.length > mostTitle ? `${first.slice(0, mostTitle - 1)}…` : first
}

export const shortLabel = (label: string, most: number): string => {
  const line = cleanLabel(label)
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line === '' ? '–' : line
}
const cleanLabel = (label: string): string =>
  label
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

type LabelLimits = { readonly buttons: number; readonly label: number }

/** Labels that a button cannot show in full, and those for which there is no button, in the text above. */
export function longLabels(buttons: readonly Button[], most: LabelLimits): CardLine[] {
  const isShown = buttons.length <= most.buttons && buttons.every(({ label }) => cleanLabel(label).length <= most.label)
  return isShown ? [] : [{ kind: 'fields', fields: buttons.map(({ label }, index) => [String(index + 1), label]) }]
}
