import type * as z from 'zod'
import { Incoming } from './adapter.ts'

/** What to do with a frame. Both of the last two are acknowledged: another delivery would not change them. */
export type Received =
  | { readonly kind: 'take'; readonly event: Incoming }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string }

export const ignored = (why: string): Received => ({ kind: 'ignored', why })
export const malformed = (why: string): Received => ({ kind: 'malformed', why })

/** The bounds of `Incoming` hold for every platform. */
export function take(event: Incoming): Received {
  const checked = Incoming.safeParse(event)
  return checked.success ? { kind: 'take', event: checked.data } : malformed(firstIssue(checked.error))
}
export const firstIssue = ({ issues: [issue] }: z.ZodError): string =>
  issue ? `${issue.path.join('.')}: ${issue.message}`.slice(0, 300) : 'unknown format'
