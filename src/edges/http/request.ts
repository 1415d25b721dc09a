import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type * as z from 'zod'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'

/** What the node server hands along: its own request and response, and the door they came through. */
export type Bindings = HttpBindings & { door: 'tcp' | 'socket' }
export type HttpContext = Context<{ Bindings: Bindings }>

export const bearerOf = (header: string | undefined): string | null =>
  header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null

export function cookieOf(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return null
}

/** The body as text, refused once it is over the limit and not read further. */
export async function readBody(request: Request, limit: number): Promise<Result<string>> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > limit) return tooLarge(limit)
  if (!request.body) return ok('')
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await reader.cancel()
      return tooLarge(limit)
    }
    chunks.push(value)
  }
  return ok(Buffer.concat(chunks).toString('utf8'))
}

export function parseJson(text: string): Result<unknown> {
  if (text.trim() === '') return ok({})
  try {
    return ok(JSON.parse(text))
  } catch (error) {
    const message = `The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`
    return fail({ kind: 'invalid', code: 'malformed_json', message })
  }
}

const tooLarge = (limit: number): Failed =>
  fail({
    kind: 'too_large',
    code: 'body_too_large',
    message: `The body is larger than ${limit} bytes.`,
    hint: 'Send less, or raise body_limit_bytes under [http] in config.toml.',
    details: { limit },
  })

/** Every fault of the input at once, each with its place. */
export function check<T extends z.ZodType>(schema: T, value: unknown, where: string): Result<z.output<T>> {
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
    hint: 'See /api/docs for what this address takes.',
    details: { issues },
  })
}
