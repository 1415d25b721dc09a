/** The few kinds of faults of the whole system; each edge maps all of them once. */
export const faultKinds = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'limited',
  'too_large',
  'unavailable',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** An expected failure as a value: `kind` for edges to map, `code` for programs, the message for people. */
export type Fault = {
  readonly kind: FaultKind
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

export type Ok<T> = { readonly ok: true; readonly value: T }
export type Failed = { readonly ok: false; readonly fault: Fault }
export type Result<T> = Ok<T> | Failed

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value })
export const fail = (fault: Fault): Failed => ({ ok: false, fault })

export const notFound = (what: string, id: string): Failed =>
  fail({ kind: 'not_found', code: `${what}_not_found`, message: `No such ${what.replaceAll('_', ' ')}: ${id}.` })
