import { findHidden, type HiddenCharacter } from './hidden-characters.ts'
import type { WordRange } from './changed-words.ts'

/** A run of characters and its token; '' is plain text. */
export type SyntaxToken = readonly [length: number, kind: string]

/** A part of a line with one style. */
export type LinePiece = { text: string; token: string; changed: boolean; hidden: HiddenCharacter | null }

/** Splits a line where its token, its changed state or the visibility of its characters changes. */
export function piecesOf(
  text: string,
  tokens: readonly SyntaxToken[] | null,
  changed: readonly WordRange[] | null,
): LinePiece[] {
  const pieces: LinePiece[] = []
  const hidden = findHidden(text)
  const cuts = new Set<number>([0, text.length])
  for (const { at, length } of hidden) cuts.add(at).add(at + length)
  for (const [from, to] of changed ?? []) cuts.add(from).add(to)
  const tokenAt = new Map<number, string>()
  let end = 0
  for (const [length, kind] of tokens ?? []) {
    tokenAt.set(end, kind)
    cuts.add(end)
    end += length
  }
  const sorted = [...cuts].filter((cut) => cut <= text.length).sort((one, other) => one - other)
  const secrets = new Map(hidden.map((found) => [found.at, found.hidden]))
  let [token, rangeAt] = ['', 0]
  for (const [index, from] of sorted.entries()) {
    const to = sorted[index + 1]
    if (to === undefined) break
    token = tokenAt.get(from) ?? (from >= end ? '' : token)
    while ((changed?.[rangeAt]?.[1] ?? Infinity) <= from) rangeAt += 1
    pieces.push({
      text: text.slice(from, to),
      token,
      changed: (changed?.[rangeAt]?.[0] ?? Infinity) <= from,
      hidden: secrets.get(from) ?? null,
    })
  }
  return pieces
}
