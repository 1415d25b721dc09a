import type { Content } from '../../../domain/chat-post/content.ts'
import { hiddenInText } from '../../../lib/hidden-characters.ts'
import type { Fault } from '../../../lib/result.ts'

/** What only the sender sees, or everyone in the thread; null: silence. */
export type Reply = { readonly to: 'sender' | 'thread'; readonly content: Exclude<Content, { kind: 'file' }> } | null

export const privately = (text: string): Reply => ({ to: 'sender', content: { kind: 'text', text } })
export const aloud = (text: string): Reply => ({ to: 'thread', content: { kind: 'text', text } })

/** Only for the person who was refused. */
export const refusal = ({ message, hint }: Pick<Fault, 'message' | 'hint'>): Reply =>
  privately(hint === undefined ? message : `${message} ${hint}`)

/** Text of people and agents as one line. */
export function oneLine(text: string, longest = 80): string {
  const line = text
    .replaceAll(hiddenInText, '')
    .replaceAll('`', "'")
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
  return line.length > longest ? `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
