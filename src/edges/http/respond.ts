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

export const json = (value: unknown, status: number, headers: Record<string, string> = {}): Response =>
  // As bytes: Node allocates three times the size for text.
  new Response(kept(value) ?? Buffer.from(JSON.stringify(value)), {
    status,
    headers: { ...jsonHeaders, ...headers },
  })

/** Values with long lists are written in chunks. */
export const anyJson = (value: unknown, status: number, headers: Record<string, string>): Response =>
  hasLongList(value)
    ? new Response(streamOf(jsonChunks(value)), { status, headers: { ...jsonHeaders, ...headers } })
    : json(value, status, headers)

/** The one error shape. */
export function failed(fault: Fault, requestId: string, more: Record<string, string> = {}): Response {
  const { code, message, hint, details } = fault
  const headers: Record<string, string> = { 'x-request-id': requestId, ...more, ...faultHeaders(fault) }
  if (fault.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="signalbox"'
  return json({ error: { code, message, hint, details } }, faultStatus(fault), headers)
}
