import type { Failure } from './adapter.ts'

/** What calls to any platform have in common. */

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
