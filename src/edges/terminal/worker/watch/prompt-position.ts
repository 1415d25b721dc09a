import { lastLine, type LogicalLine } from './screen-text.ts'

// Numbers, clocks and spinners change on their own: none of them answers a question.
const moving = /[\d\u2800-\u28ff◐◓◑◒◴◷◶◵⣾⣽⣻⢿⡿⣟⣯⣷|/\\*✶✻✽✢·•.…-]+/g
// Arrow keys and the space bar move or fill the mark before a menu entry; the menu stays the same.
export const entryMark = /^(?:\s|[❯›▸▶►➤→»‣➜➔⇒▷⮞>]|-{1,2}>|=>|[●◉◯○◻◼☐☑☒⬡⬢⊙]|\( ?\)|\([*xX•o]\)|\[ ?\]|\[[xX*✔✓]\])+/u
const still = (text: string) => text.replace(entryMark, '').replaceAll(moving, '').replaceAll(/\s+/g, ' ').trim()

/** Short prompts (`$`, `>`) occur in any text; as a prompt they start the line. */
export const holds = (text: string, words: string): boolean =>
  words.length > 3 ? text.includes(words) : text.startsWith(words)

/** Where a prompt was when it was seen: its own line, and what was drawn below. */
export type PromptPosition = { line: string; below: string; atCursor: boolean; isSeen: boolean }

export function positionOf(lines: readonly LogicalLine[], promptText: string): PromptPosition {
  const line = lastLine(promptText)
  const at = lines.findLastIndex(({ text }) => holds(text, line))
  return { line, below: belowOf(lines, at), atCursor: lines[at]?.cursor ?? false, isSeen: at !== -1 }
}

/**
 * Whether it is still in the same place. The same words higher up do not count: a program that continues leaves its
 * question on the screen, and other text may quote it.
 */
export function stands(stand: PromptPosition, lines: readonly LogicalLine[]): boolean {
  const at = lines.findLastIndex(({ text }) => holds(text, stand.line))
  if (at === -1) return false
  if (stand.atCursor) return lines[at]?.cursor ?? false
  return belowOf(lines, at) === stand.below
}

/** The line below a prompt that differs from when it was seen; null if none does, or several. */
function changedBelow(stand: PromptPosition, lines: readonly LogicalLine[]): { was: string; now: string } | null {
  const at = lines.findLastIndex(({ text }) => holds(text, stand.line))
  if (stand.atCursor || at === -1) return null
  const before = stand.below.split('\n')
  const shown = lines.slice(at + 1).map(({ text }) => text)
  const now = shown.filter((text) => still(text) !== '' && !before.includes(still(text)))
  const was = before.filter((line) => !shown.some((text) => still(text) === line))
  const [field = ''] = now
  return now.length > 1 || was.length > 1 ? null : { was: was[0] ?? '', now: field.replace(drawnCursor, '') }
}

/** Whether the screen differs only by so much text in a field below the prompt: somebody is typing there. */
export function isTypedBelow(stand: PromptPosition, lines: readonly LogicalLine[], typed: number): boolean {
  const changed = changedBelow(stand, lines)
  if (changed === null || changed.now === '') return false
  const [was, now] = [withoutCursor(changed.was), withoutCursor(still(changed.now))]
  return Array.from(now.startsWith(was) ? now.slice(was.length) : now).length <= typed
}

/** What was typed there; null if unknown. */
export const typedBelow = (lines: readonly LogicalLine[], stand: PromptPosition): string | null =>
  changedBelow(stand, lines)?.now.trim() || null

const drawnCursor = /[█▏_]\s*$/u
const withoutCursor = (text: string): string => text.replace(drawnCursor, '')

const belowOf = (lines: readonly LogicalLine[], at: number): string =>
  at === -1
    ? ''
    : lines
        .slice(at + 1)
        .map(({ text }) => still(text))
        .filter((text) => text !== '')
        .join('\n')

/** The text after the prompt, or in the field below the question. Null: the prompt is not visible. */
export function afterPrompt(lines: readonly LogicalLine[], stand: PromptPosition): string | null {
  const at = lines.findLastIndex(({ text }) => holds(text, stand.line))
  const line = lines[at]
  if (!line) return null
  const same = restOf(line, stand)
  if (same !== '' || stand.atCursor) return same
  const field = lines.slice(at + 1, at + 1 + reach).find(({ cursor }) => cursor)
  return field ? field.text.replace(marker, '').trim() : same
}

/** The same after Enter: the prompt may be there again, empty. */
export function leftAtPrompt(lines: readonly LogicalLine[], stand: PromptPosition): string | null {
  const rests = lines.filter(({ text }) => holds(text, stand.line)).map((line) => restOf(line, stand))
  return rests.findLast((rest) => rest !== '') ?? rests.at(-1) ?? null
}

const restOf = ({ text }: LogicalLine, { line }: PromptPosition) => text.slice(text.indexOf(line) + line.length).trim()

const reach = 8
const marker = /^[>❯›»$#:?▸→]+\s*/
