import type { AlertId } from '../../domain/alert/schema.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { InboxId } from '../../domain/chat/id.ts'
import type { SessionId } from '../../domain/session/id.ts'

/** What a button of a card does. `option` is the position of an option that the agent offered. */
export type CardAction =
  | { readonly on: 'ask'; readonly id: AskId; readonly verb: AskVerb }
  | { readonly on: 'ask'; readonly id: AskId; readonly option: number }
  | { readonly on: 'alert'; readonly id: AlertId; readonly verb: AlertVerb }
  /** The session that a command was meant for; `ending` is the end of its id. */
  | { readonly on: 'pick'; readonly command: InboxId; readonly ending: string }

export const askVerbs = ['approve', 'reject', 'continue', 'refine', 'stop', 'resume', 'decline'] as const
export const alertVerbs = ['nudge', 'stop', 'dismiss'] as const
export type AskVerb = (typeof askVerbs)[number]
export type AlertVerb = (typeof alertVerbs)[number]

/** An id as 22 characters, because Telegram gives a button 64 bytes. */
const packed = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

function unpacked(text: string): string | null {
  if (!/^[\w-]{22}$/.test(text)) return null
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const askAction = (id: AskId, verb: AskVerb | number): string => `ask:${packed(id)}:${verb}`
export const alertAction = (id: AlertId, verb: AlertVerb): string => `alert:${packed(id)}:${verb}`

/** Ids that begin alike differ at their end. */
const endingOf = (id: SessionId): string => id.slice(-8)
export const pickAction = (command: InboxId, id: SessionId): string => `pick:${packed(command)}:${endingOf(id)}`
export const isPicked = (ending: string, id: SessionId): boolean => endingOf(id) === ending

/** Null if no card of ours has such a button. */
export function readAction(text: string): CardAction | null {
  const [on, packedId = '', verb = '', ...rest] = text.split(':')
  const id = unpacked(packedId)
  if (id === null || rest.length > 0) return null
  if (on === 'alert') {
    const known = alertVerbs.find((one) => one === verb)
    return known === undefined ? null : { on, id: id as AlertId, verb: known }
  }
  if (on === 'pick') return /^[0-9a-f]{8}$/.test(verb) ? { on, command: id as InboxId, ending: verb } : null
  if (on !== 'ask') return null
  const known = askVerbs.find((one) => one === verb)
  if (known !== undefined) return { on, id: id as AskId, verb: known }
  return /^\d{1,3}$/.test(verb) ? { on, id: id as AskId, option: Number(verb) } : null
}
