import { fail, ok, type Result } from '../../lib/result.ts'

/** `tx.seq` in base 36: opaque to clients, ordered by both numbers. */
export type Place = { readonly tx: number; readonly seq: number }

export const start: Place = { tx: 0, seq: 0 }

export const formatCursor = ({ tx, seq }: Place): string => `${tx.toString(36)}.${seq.toString(36)}`

export function parseCursor(text: string): Result<Place> {
  const match = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(text)
  const tx = Number.parseInt(match?.[1] ?? '', 36)
  const seq = Number.parseInt(match?.[2] ?? '', 36)
  if (Number.isSafeInteger(tx) && Number.isSafeInteger(seq)) return ok({ tx, seq })
  return fail({
    kind: 'invalid',
    code: 'bad_cursor',
    message: `"${text.slice(0, 100)}" is not a cursor.`,
    hint: 'Send a cursor exactly as an event returned it, or leave it out to start now.',
  })
}

/** Negative if `a` is earlier. */
export const comparePlaces = (a: Place, b: Place): number => a.tx - b.tx || a.seq - b.seq
