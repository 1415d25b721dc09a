import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type * as z from 'zod'
import { jsonTooLarge } from '../../lib/http-body.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { anyJson, parseJson } from '../../lib/parse-json.ts'

/** `tcp`: anyone, on a port. `socket`: the owner of the data directory. `gate`: agents with their own network. */
export type ListenerKind = 'tcp' | 'socket' | 'gate'

/** The request and response of the Node server, and the listener they came through. */
export type Bindings = HttpBindings & { listener: ListenerKind }
export type HttpContext = Context<{ Bindings: Bindings }>

export const bearerOf = (header: string | undefined): string | null =>
  header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null

/** No browser sends more of one name; each one costs a database query. */
const mostCookies = 16

/** All cookies of that name that may be ours: servers on other ports of this host can set the same name. */
export function cookiesOf(header: string | undefined, name: string): string[] {
  const found = new Set<string>()
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1).trim()
    if (at > 0 && pair.slice(0, at).trim() === name && isSecret(value)) found.add(value)
    if (found.size === mostCookies) break
  }
  return [...found]
}

/** The login key, which only pages of our own origin have. */
export const keyHeader = 'x-signalbox-key'
export const keyOf = (header: string | undefined): string | null =>
  header !== undefined && isSecret(header) ? header : null

const isSecret = (text: string): boolean => /^[\w-]{20,100}$/.test(text)

export function parseBody(text: string): Result<unknown> {
  if (text.trim() === '') return ok({})
  const large = jsonTooLarge(text)
  if (large) return fail({ kind: 'invalid', code: large.code, message: `The body is too large: ${large.why}.` })
  const read = parseJson(text, anyJson)
  if (!read.ok) return fail({ ...read.fault, message: `The body is not valid JSON: ${read.fault.message}` })
  return /(?<!\\)(?:\\\\)*\\u0000/.test(text) ? nulRefused('body') : read
}

/** PostgreSQL can't store NUL in text, so it is refused everywhere. */
export const nulRefused = (where: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'nul_not_allowed',
    message: `The ${where} contains a NUL character, which can't be stored.`,
    hint: 'Remove it.',
  })

/** Reports all faults of the input at once, each with its path. */
export function validate<T extends z.ZodType>(schema: T, value: unknown, where: string): Result<z.output<T>> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const issues = parsed.error.issues.slice(0, 20).map((issue) => ({
    path: [where, ...issue.path].join('.'),
    message: issue.message,
  }))
  const first = issues[0]
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return fail({
    kind: 'invalid',
    code: 'invalid_request',
    message: `${first?.path ?? where}: ${first?.message ?? 'is not valid'}${more}`,
    hint: 'See /api/docs for the parameters of this endpoint.',
    details: { issues },
  })
}
