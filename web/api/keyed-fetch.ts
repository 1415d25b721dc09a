import { readLoginKey, type LoginKey } from './login-key.ts'

type Init = Omit<RequestInit, 'headers' | 'redirect'> & { headers?: Readonly<Record<string, string>> }
type KeyedFetch = (path: string, init?: Init) => Promise<Response>

export function createKeyedFetch(read: () => Promise<LoginKey | null>): KeyedFetch {
  let known: LoginKey | null = null
  return async (path, init = {}) => {
    // Send the key only to our own origin, wherever the address came from.
    if (!path.startsWith('/api/')) throw new Error('the login key is sent only to the API')
    known ??= await read()
    const sent = known
    const response = await send(path, init, sent)
    if (response.status !== 401) return response
    // Another tab may have signed in since. The same person continues; for another person the page must be reloaded.
    const now = await read()
    if (now === null || now.key === sent?.key || (sent !== null && sent.userId !== now.userId)) return response
    known = now
    return send(path, init, now)
  }
}

const send = (path: string, init: Init, login: LoginKey | null): Promise<Response> =>
  fetch(path, {
    ...init,
    // A redirect could send the key elsewhere; the API never redirects.
    redirect: 'error',
    headers: { ...init.headers, ...(login && { 'x-signalbox-key': login.key }) },
  })

export type PausableReads = {
  fetch: KeyedFetch
  /** Blocks reads while `act` runs and after it succeeds. Reads continue if it fails. */
  pausedFor<T>(act: () => Promise<T>): Promise<T>
}

/** Reads that can be paused. After a logout each would be refused, and browsers report each refusal as an error. */
export function createReads(ask: KeyedFetch): PausableReads {
  const underWay = new Set<AbortController>()
  let pause: Promise<void> | null = null

  async function read(path: string, init: Init): Promise<Response> {
    for (;;) {
      await pause
      const own = new AbortController()
      underWay.add(own)
      try {
        return await ask(path, {
          ...init,
          signal: init.signal ? AbortSignal.any([init.signal, own.signal]) : own.signal,
        })
      } catch (error) {
        if (!own.signal.aborted || init.signal?.aborted) throw error
      } finally {
        underWay.delete(own)
      }
    }
  }

  return {
    fetch: (path, init = {}) => ((init.method ?? 'GET') === 'GET' ? read(path, init) : ask(path, init)),
    async pausedFor(act) {
      const { promise, resolve } = Promise.withResolvers<void>()
      pause = promise
      for (const one of underWay) one.abort()
      try {
        return await act()
      } catch (error) {
        pause = null
        resolve()
        throw error
      }
    },
  }
}

const reads = createReads(createKeyedFetch(readLoginKey))

/** Every request to the API. The browser adds the cookie; this adds the login key. */
export const keyedFetch = reads.fetch
/** Used to sign out; see `Reads`. */
export const readsPausedFor = reads.pausedFor
