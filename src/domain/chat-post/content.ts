import type { Json } from '../../lib/json.ts'

/**
 * What we post. All strings are untrusted: `render` escapes them, and nobody is mentioned except by `Card.mention` and
 * `Card.notify`.
 */

export type CardLine =
  | { readonly kind: 'text' | 'code' | 'diff' | 'quote'; readonly text: string }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [label: string, value: string])[] }

/** `action` has at most `mostActionBytes` bytes of ASCII, unique in its card. */
export type Button = {
  readonly action: string
  readonly label: string
  readonly style: 'primary' | 'danger' | 'plain'
}
/** Telegram allows 64 bytes; some of them are its adapter's own. */
export const mostActionBytes = 40

export type Card = {
  readonly title: string
  readonly tone: 'waiting' | 'good' | 'bad' | 'quiet'
  /** `text` and `quote` are Markdown of agents or people; `code` and `diff` are shown as they are. */
  readonly lines: readonly CardLine[]
  readonly buttons: readonly Button[]
  readonly footer: string | null
  /** The handle of a person to notify; never from an agent's text. */
  readonly mention: string | null
  /** Notifies everyone in the chat, where the platform can. Only the card of an escalated alert has it (R16). */
  readonly notify?: 'channel'
}

export type Content =
  /** Untrusted Markdown of an agent. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer; readonly text: string | null }

/**
 * One message of a platform. A card is one message, followed by files for what does not fit in it; the first message
 * stays the first in every revision. A message with a file is sent once and never edited.
 */
export type Rendered = {
  /** The platform's own JSON. */
  readonly body: Json
  readonly file: { readonly name: string; readonly bytes: Buffer } | null
}
