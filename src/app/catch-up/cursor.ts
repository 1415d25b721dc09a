import { formatCursor, parseCursor, type Place } from '../../domain/audit/cursor.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'

/** How far the output of one terminal was told, and which of its prompts. */
export type TerminalMark = { readonly cursor: string | null; readonly prompt: string | null }

/** How far somebody was told: the log, and each terminal that goes on. */
export type LookCursor = { readonly place: Place; readonly terminals: ReadonlyMap<string, TerminalMark> }

// Twelve of 32 digits tell the terminals of one server apart, and keep the cursor short: it counts as tokens.
export const markName = (id: SessionId): string => id.replaceAll('-', '').slice(0, 12)
export const promptMark = (promptId: string): string => promptId.replaceAll(/[^0-9A-Za-z]/g, '').slice(-12)

const entry = /^([0-9a-f]{12})=([0-9A-Za-z:._-]{0,60})(?:,([0-9A-Za-z]{1,12}))?$/

export const formatLook = ({ place, terminals }: LookCursor): string =>
  [
    formatCursor(place),
    ...[...terminals].map(([id, { cursor, prompt }]) => `${id}=${cursor ?? ''}${prompt === null ? '' : `,${prompt}`}`),
  ].join(';')

export function parseLook(text: string): Result<LookCursor> {
  const [first = '', ...rest] = text.split(';')
  const place = parseCursor(first)
  const terminals = new Map<string, TerminalMark>()
  for (const part of rest) {
    const [, id, cursor, prompt] = entry.exec(part) ?? []
    if (id === undefined) return fail(notOurs(text))
    terminals.set(id, { cursor: cursor === '' ? null : (cursor ?? null), prompt: prompt ?? null })
  }
  return place.ok ? ok({ place: place.value, terminals }) : fail(notOurs(text))
}

const notOurs = (text: string) => ({
  kind: 'invalid' as const,
  code: 'bad_cursor',
  message: `"${text.slice(0, 60)}" is neither a cursor nor a time.`,
  hint: 'Send the cursor of an earlier catch-up, or a time such as 2026-01-31T09:00:00Z.',
})

/** Nothing would be told from there on until the log has grown as far. */
export const ahead = (text: string) => ({
  kind: 'invalid' as const,
  code: 'bad_cursor',
  message: `"${text.slice(0, 60)}" is past the end of the log. It is from another server, or from before a backup was restored.`,
  hint: 'Leave it out to continue from your last look, or give a time such as 2026-01-31T09:00:00Z.',
})
