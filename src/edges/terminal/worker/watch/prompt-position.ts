import { lastLine, type LogicalLine } from './screen-text.ts'

// Numbers, clocks and the little wheels programs draw while they live: none of it answers a question.
const moving = /[\d\u2800-\u28ff◐◓◑◒◴◷◶◵⣾⣽⣻⢿⡿⣟⣯⣷|/\\*✶✻✽✢·•.…-]+/g
// Arrow keys and the space bar move or fill the mark before an entry of a menu; the menu stays the same.
const entryMark = /^(?:\s|[❯›▸▶►➤→»‣➜➔⇒▷⮞>]|-{1,2}>|=>|[●◉◯○◻◼☐☑☒⬡⬢⊙]|\( ?\)|\([*xX•o]\)|\[ ?\]|\[[xX*✔✓]\])+/u
const still = (text: string) => text.replace(entryMark, '').replaceAll(moving, '').replaceAll(/\s+/g, ' ').trim()

/** Short prompts (`$`, `>`) occur in any text; as a prompt they begin the line. */
export const holds = (text: string, words: string): boolean =>
  words.length > 3 ? text.includes(words) : text.startsWith(words)

/** How a prompt stood when it was seen: its own line, and what was drawn below. */
export type PromptPosition = { line: string; below: string; atCursor: boolean; isSeen: boolean }

export function positionOf(lines: readonly LogicalLine[], promptText: string): PromptPosition {
  const line = lastLine(promptText)
  const at = lines.findLastIndex(({ text }) => holds(text, line))
  return { line, below: belowOf(lines, at), atCursor: lines[at]?.cursor ?? false, isSeen: at !== -1 }
}

/**
 * Whether it still stands where it stood. The same words higher up do not count: a program that went on leaves its
 * question on the screen, and other text may quote it.
 */
export function stands(stand: PromptPosition, lines: readonly LogicalLine[]): boolean {
  const at = lines.findLastIndex(({ text }) => holds(text, stand.line))
  if (at === -1) return false
  if (stand.atCursor) return lines[at]?.cursor ?? false
  return belowOf(lines, at) === stand.below
}

const belowOf = (lines: readonly LogicalLine[], at: number): string =>
  at === -1
    ? ''
    : lines
        .slice(at + 1)
        .map(({ text }) => still(text))
        .filter((text) => text !== '')
        .join('\n')

/** What stands after the prompt's words, or in the field below the question. Null: the prompt is not to be seen. */
export function afterPrompt(lines: readonly LogicalLine[], stand: PromptPosition): string | null {
  const at = lines.findLastIndex(({ text }) => holds(text, stand.line))
  const line = lines[at]
  if (!line) return null
  const same = restOf(line, stand)
  if (same !== '' || stand.atCursor) return same
  const field = lines.slice(at + 1, at + 1 + reach).find(({ cursor }) => cursor)
  return field ? field.text.replace(marker, '').trim() : same
}

/** The same once it was entered: the prompt may stand there again, empty. */
export function leftAtPrompt(lines: readonly LogicalLine[], stand: PromptPosition): string | null {
  const rests = lines.filter(({ text }) => holds(text, stand.line)).map((line) => restOf(line, stand))
  return rests.findLast((rest) => rest !== '') ?? rests.at(-1) ?? null
}

const restOf = ({ text }: LogicalLine, { line }: PromptPosition) => text.slice(text.indexOf(line) + line.length).trim()

const reach = 8
const marker = /^[>❯›»$#:?▸→]+\s*/
