import { sha256 } from '../../lib/secret.ts'

/** An edit as an agent shows it, of a whole file or a part; `oldText` null replaces the whole file. */
export type ShownEdit = { path: string; oldText: string | null; newText: string }

/** The content of a file after these edits in order; null if the edits do not determine it. */
export function contentAfter(before: string | null, edits: readonly ShownEdit[]): string | null {
  if (edits.length === 0) return null
  let now = before
  for (const { oldText, newText } of edits) {
    const next = apply(now ?? '', oldText, newText)
    if (next === null) return null
    now = next
  }
  return now
}

function apply(now: string, oldText: string | null, newText: string): string | null {
  if (oldText === null || plain(oldText) === plain(now)) return newText
  return replaceOnly(now, oldText, newText) ?? replaceOnly(unixLines(now), unixLines(oldText), unixLines(newText))
}

/** Null unless the part occurs exactly once. */
function replaceOnly(text: string, part: string, by: string): string | null {
  const at = part === '' ? -1 : text.indexOf(part)
  if (at === -1 || text.includes(part, at + 1)) return null
  return text.slice(0, at) + by + text.slice(at + part.length)
}

/** The same for texts that differ only in line ends and a final newline: agents often change both. */
export const plainHash = (text: string): string => sha256(plain(text))

const unixLines = (text: string): string => text.replaceAll('\r\n', '\n')
const plain = (text: string): string => unixLines(text).replace(/\n$/, '')
