import { readLoginKey, type LoginKey } from './login-key.ts'

type Init = Omit<RequestInit, 'headers' | 'redirect'> & { headers?: Readonly<Record<string, string>> }
type KeyedFetch = (path: string, init?: Init) => Promise<Response>

export function createKeyedFetch(read: () => Promise<LoginKey | null>): KeyedFetch {
  let known: LoginKey | null = null
  return async (path, init = {}) => {
    // The key goes to our own origin and nowhere else, wherever an address came from.
    if (!path.startsWith('/api/')) throw new Error('only the API gets the key of the login')
    known ??= await read()
    const sent = known
    const response = await send(path, init, sent)
    if (response.status !== 401) return response
    // Another tab may have signed in since. The same person goes on; this page is nobody else's until it is loaded anew.
    const now = await read()
    if (now === null || now.key === sent?.key || (sent !== null && sent.userId !== now.userId)) return response
    known = now
    return send(path, init, now)
  }
}

const send = (path: string, init: Init, login: LoginKey | null): Promise<Response> =>
  fetch(path, {
    ...init,
    // A redirect could lead the key elsewhere; the API has none.
    redirect: 'error',
    headers: { ...init.headers, ...(login && { 'x-signalbox-key': login.key }) },
  })

/** Every request to the API: the cookie goes along unasked, the key of the login is added here. */
export const keyedFetch = createKeyedFetch(readLoginKey)
