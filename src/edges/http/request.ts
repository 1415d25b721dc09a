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
  if (!request.body) return ok('')
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  if (declared > limit) return refuseLarge(reader, limit)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > limit) return await refuseLarge(reader, limit)
      chunks.push(value)
    }
  } catch {
    return fail({ kind: 'invalid', code: 'body_incomplete', message: 'The connection ended before the body did.' })
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    return fail({ kind: 'invalid', code: 'invalid_utf8', message: 'The body is not valid UTF-8.' })
  }
}

/**
 * What a client sends on is read and thrown away for a while: cut off in the middle, it would not see our answer.
 * Who sends nothing, or no end, is cut off all the same.
 */
async function refuseLarge(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Failed> {
  let left = 128 * 1024 * 1024
  let silent: NodeJS.Timeout | undefined
  const end = setTimeout(() => void reader.cancel().catch(() => {}), 5000)
  try {
    while (left > 0) {
      clearTimeout(silent)
      silent = setTimeout(() => void reader.cancel().catch(() => {}), 500)
      const { done, value } = await reader.read()
      if (done) break
      left -= value.byteLength
    }
    if (left <= 0) await reader.cancel()
  } catch {
    // It is gone; so is its body.
  } finally {
    clearTimeout(silent)
    clearTimeout(end)
  }
  return tooLarge(limit)
}

const deepest = 100

/** Counts brackets outside of strings: what is nested without end would exhaust whoever walks it. */
function tooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') {
      depth += 1
      if (depth > deepest) return true
    } else if (char === '}' || char === ']') depth -= 1
  }
  return false
}

export function parseJson(text: string): Result<unknown> {
  if (text.trim() === '') return ok({})
  if (tooDeep(text))
    return fail({
      kind: 'invalid',
      code: 'json_too_deep',
      message: `The body is nested deeper than ${deepest} levels.`,
    })
  try {
    const value: unknown = JSON.parse(text)
    return /(?<!\\)(?:\\\\)*\\u0000/.test(text) ? nulRefused('body') : ok(value)
  } catch (error) {
    const message = `The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`
    return fail({ kind: 'invalid', code: 'malformed_json', message })
  }
}

/** PostgreSQL keeps no NUL in text, so nobody may send one. */
export const nulRefused = (where: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'nul_not_allowed',
    message: `The ${where} holds a NUL character, which can't be kept.`,
  })

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
