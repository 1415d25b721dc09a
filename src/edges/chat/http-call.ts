import type * as z from 'zod'
import type { Failure, Rendered, Sent } from './adapter.ts'

/** What calls to any platform have in common. */

/** For calls that nobody aborts. */
export const never = new AbortController().signal

export const permanent = (error: string): Failure => ({ kind: 'permanent', error })
export const largerThan = (mostBytes: number): Failure => permanent(`larger than ${mostBytes} bytes`)

/** Nobody sees this call, or repeating it does no harm. */
export const harmless = <F extends Failure>(failure: F): F =>
  failure.kind === 'unsure' ? { ...failure, kind: 'transient' } : failure

/** Tells one person every part of what was rendered, but files. The first part that does not arrive ends it. */
export async function tellParts<Body>(
  parts: readonly Rendered[],
  schema: z.ZodType<Body>,
  tell: (body: Body) => Promise<Sent>,
): Promise<Sent> {
  let last: Sent = permanent('there is nothing to send')
  for (const { body, file } of parts) {
    const parsed = schema.safeParse(body)
    if (file || !parsed.success) continue
    last = await tell(parsed.data)
    if (last.kind !== 'sent') return last
  }
  return last
}

/** Platforms ask for at least a second; some answers do not say. */
export const usualRetryMs = 30_000
const longestRetryMs = 3_600_000

export function retryAfterMs(header: string | null): number {
  const seconds = header === null || header.trim() === '' ? NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, longestRetryMs) : usualRetryMs
}

/** Failed before anything was sent. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENOTLOOPBACK',
  'UND_ERR_CONNECT_TIMEOUT',
])

type Caused = { code?: unknown; message?: unknown; cause?: Caused; errors?: readonly Caused[] }

/** A call without an answer: the connection was refused, broke, or took too long. */
export function failureOfError(method: string, thrown: unknown): Failure {
  const { cause, ...own } = (thrown ?? {}) as Caused
  const causes = [own, cause, ...(cause?.errors ?? [])]
  const code = causes.map((one) => one?.code).find((one) => typeof one === 'string')
  const name = thrown instanceof Error && thrown.name === 'TimeoutError' ? 'no answer in time' : undefined
  // Nothing was sent. The text of such an error quotes the token, or an address that may hold one.
  if (thrown instanceof TypeError && /header value|ByteString/i.test(thrown.message))
    return { kind: 'refused', error: `${method} failed: the token has characters that no token has` }
  if (thrown instanceof TypeError && code === undefined && thrown.message.includes('URL'))
    return { kind: 'permanent', error: `${method} failed: the address of the platform is invalid` }
  const error = `${method} failed: ${name ?? code ?? (thrown instanceof Error ? thrown.message : String(thrown))}`
  return { kind: notConnected.has(String(code)) ? 'transient' : 'unsure', error }
}

/** Null if there is more. */
export async function readBounded(response: Response, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (size > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
