import { formatCursor, parseCursor, type Place } from '../../domain/audit/cursor.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'

/** How far the output of one terminal was reported, and its last reported prompt. */
export type TerminalMark = { readonly cursor: string | null; readonly prompt: string | null }

/** How far a viewer has been caught up: in the log, and in each terminal that is still running. */
export type LookCursor = { readonly place: Place; readonly terminals: ReadonlyMap<string, TerminalMark> }

// Twelve of 32 digits are enough to tell terminals of one server apart; a short cursor costs fewer tokens.
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

/** With such a cursor nothing would be reported until the log has grown that far. */
export const ahead = (text: string) => ({
  kind: 'invalid' as const,
  code: 'bad_cursor',
  message: `"${text.slice(0, 60)}" is past the end of the log. It is from another server, or from before a backup was restored.`,
  hint: 'Leave it out to continue from your last look, or give a time such as 2026-01-31T09:00:00Z.',
})
