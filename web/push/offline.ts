type Deps = { caches: CacheStorage; fetch(request: Request | string): Promise<Response>; build: string }

export type Offline = {
  /** The response for parts of the page; null for all other requests, which pass through. */
  answer(request: Request): Promise<Response> | null
  keepShell(): Promise<void>
  forgetOthers(): Promise<void>
}

const shellKey = '/'
const prefix = 'signalbox-'

/** Serves the page offline. API responses are never cached: they would soon be wrong. */
export function createOffline({ caches, fetch, build }: Deps): Offline {
  const open = () => caches.open(`${prefix}${build}`)

  async function keep(response: Response): Promise<string | null> {
    const text = await response.clone().text()
    // Signed-out visitors get another page at the same address.
    if (!response.ok || !text.includes('id="root"')) return null
    await (await open()).put(shellKey, response.clone())
    return text
  }

  async function page(request: Request): Promise<Response> {
    try {
      const response = await fetch(request)
      await keep(response).catch(() => null)
      return response
    } catch {
      return (await (await open()).match(shellKey)) ?? noConnection()
    }
  }

  /** File names contain a content hash, so cached files never become stale. */
  async function part(request: Request): Promise<Response> {
    const cache = await open()
    const kept = await cache.match(request)
    if (kept) return kept
    const response = await fetch(request)
    if (response.ok) await cache.put(request, response.clone()).catch(() => undefined)
    return response
  }

  return {
    answer(request) {
      if (request.method !== 'GET') return null
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/assets/')) return part(request)
      const ours = !pathname.startsWith('/api/') && pathname !== '/login'
      return request.mode === 'navigate' && ours ? page(request) : null
    },
    /** Cached at install; other files are cached on first use. */
    async keepShell() {
      try {
        const text = await keep(await fetch('/'))
        const parts = text?.match(/\/assets\/[\w.-]+/g) ?? []
        await (await open()).addAll([...new Set(parts)])
      } catch {
        // If it fails, the offline page is shown.
      }
    },
    async forgetOthers() {
      const names = await caches.keys()
      const old = names.filter((name) => name.startsWith(prefix) && name !== `${prefix}${build}`)
      await Promise.all(old.map((name) => caches.delete(name)))
    },
  }
}

const noConnection = (): Response =>
  new Response(
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
      '<title>Signalbox</title><h1>Signalbox can’t be reached</h1>' +
      '<p>Check this device’s connection and that the server is running. Then reload the page.</p></html>',
    {
      status: 503,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" },
    },
  )
