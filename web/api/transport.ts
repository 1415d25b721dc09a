import { routes } from 'virtual:signalbox-api'
import { ApiError, createCalls, type Client, type Transport } from '../../src/client/calls.ts'
import { keyedFetch } from './keyed-fetch.ts'

/** Waits for `ready` before the first request, so that no event is missed between reading and listening. */
export function browserClient(ready: Promise<void>, signedOut: () => void): Client {
  const transport: Transport = async ({ method, path, headers, body, signal }) => {
    if (method === 'GET') await ready
    const response = await keyedFetch(path, { method, headers, body, ...(signal && { signal }) })
    if (response.status === 401) signedOut()
    return { status: response.status, headers: Object.fromEntries(response.headers), text: () => response.text() }
  }
  return createCalls(routes, transport)
}

/** Not found, or not visible to this person. A mistyped id is a 400. */
/** The caller has no right to it. */
export const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 403

export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

export { ApiError, type Client }
