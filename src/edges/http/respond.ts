import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { faultHeaders, faultStatus } from '../../client/fault-status.ts'
import type { Fault } from '../../lib/result.ts'
import { hasLongList, jsonChunks, streamOf } from './chunked-json.ts'

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

const bytesOf = new WeakMap<object, Buffer>()

/** For a value that is sent more than once and does not change: its bytes are made once. */
export function keepBytes(value: unknown): void {
  if (isObject(value) && !bytesOf.has(value)) bytesOf.set(value, Buffer.from(JSON.stringify(value)))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const kept = (value: unknown): Buffer | undefined => (isObject(value) ? bytesOf.get(value) : undefined)

/** Long texts as bytes, because Node allocates three times their size; short ones go out together with the headers. */
function bodyOf(value: unknown): string | Buffer {
  const bytes = kept(value)
  if (bytes) return bytes
  const text = JSON.stringify(value)
  return text.length > longText ? Buffer.from(text) : text
}
const longText = 8192

export const json = (value: unknown, status: number, headers: Record<string, string> = {}): Response =>
  new Response(bodyOf(value), {
    status,
    headers: { ...jsonHeaders, ...headers },
  })

/** Values with long lists are written in chunks. */
export const anyJson = (value: unknown, status: number, headers: Record<string, string>): Response =>
  hasLongList(value)
    ? new Response(streamOf(jsonChunks(value)), { status, headers: { ...jsonHeaders, ...headers } })
    : json(value, status, headers)

type Wishes = { readonly acceptEncoding: string | undefined; readonly ifNoneMatch: string | undefined }

/** What was asked for with GET: with a tag, as 304 if the client has it already, compressed if it likes that. */
export async function represented(value: unknown, headers: Record<string, string>, wishes: Wishes): Promise<Response> {
  if (hasLongList(value)) return anyJson(value, 200, headers)
  const bytes = kept(value) ?? Buffer.from(JSON.stringify(value))
  const tag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  const all = { ...jsonHeaders, ...headers, etag: tag, vary: 'accept-encoding' }
  if (wishes.ifNoneMatch?.split(',').some((one) => one.trim() === tag))
    return new Response(null, { status: 304, headers: all })
  if (bytes.length < worthCompressing || !acceptsGzip(wishes.acceptEncoding))
    return new Response(bytes, { headers: all })
  return new Response(await compress(bytes, { level: 1 }), { headers: { ...all, 'content-encoding': 'gzip' } })
}

/** Smaller ones fit in one packet. */
const worthCompressing = 1400
const compress = promisify(gzip)
const acceptsGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((one) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(one))

/** The one error shape. */
export function failed(fault: Fault, requestId: string, more: Record<string, string> = {}): Response {
  const { code, message, hint, details } = fault
  const headers: Record<string, string> = { 'x-request-id': requestId, ...more, ...faultHeaders(fault) }
  if (fault.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="signalbox"'
  return json({ error: { code, message, hint, details } }, faultStatus(fault), headers)
}

/**
 * Tells the HTTP adapter that the handler writes the response itself. The adapter's own constant is made when it is loaded,
 * and so would load Node's web classes in every start.
 */
export function alreadySent(): Response {
  const response = new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
  // The adapter sends its light responses as they are; asked for this, one becomes a real response.
  void response.type
  return response
}
