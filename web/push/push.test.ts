import { describe, expect, it } from 'vitest'
import { answerAsk, resultOf } from './answer-from-notification.ts'
import { browserName } from '../../src/lib/browser-name.ts'
import { createOffline } from './offline.ts'
import { readPayload, type PushPayload } from './payload.ts'
import { resultContent, contentOf } from './notification-options.ts'
import { bytesOf, pushStateOf } from './subscribe.ts'

const payload: PushPayload = {
  v: 1,
  type: 'needs_you',
  tag: 'ask:1',
  title: 'Run the tests?',
  body: 'claude in shop',
  url: '/asks/1',
  askId: '1',
  actions: [
    { action: 'approve', title: 'Approve' },
    { action: 'reject', title: 'Reject' },
  ],
  silent: false,
  badge: 2,
  at: '2030-01-01T00:00:00.000Z',
}

describe('a push message', () => {
  it('is read as it was sent', () => {
    expect(readPayload(JSON.parse(JSON.stringify(payload)))).toEqual(payload)
  })

  it('from a newer server, or from someone else, is not accepted', () => {
    for (const wrong of [null, 'x', {}, { ...payload, v: 2 }, { ...payload, type: 'party' }])
      expect(readPayload(wrong)).toBeNull()
  })

  it.each(['https://evil.example.org/', '//evil.example.org', '/\\evil.example.org', 'javascript:alert(1)', 7])(
    'leads only to our own pages: %s',
    (url) => {
      expect(readPayload({ ...payload, url })?.url).toBe('/')
    },
  )

  it('offers no unknown action', () => {
    const odd = { ...payload, actions: [{ action: 'delete', title: 'x' }, 'y', { action: 'open', title: 'Open' }] }
    expect(readPayload(odd)?.actions).toEqual([{ action: 'open', title: 'Open' }])
  })
})

describe('a notification', () => {
  it('"needs you" is loud, stays, and rings again for the same tag', () => {
    expect(contentOf(payload)).toMatchObject({
      title: 'Run the tests?',
      options: { silent: false, renotify: true, requireInteraction: true, tag: 'ask:1', data: { askId: '1' } },
      passing: false,
    })
  })

  it('in quiet hours is silent', () => {
    expect(contentOf({ ...payload, silent: true }).options).toMatchObject({ silent: true, renotify: false })
  })

  it('"gone" replaces the one it is about, and disappears', () => {
    const { actions: _none, ...gone } = { ...payload, type: 'gone' as const, silent: true }
    expect(contentOf(gone)).toMatchObject({ options: { tag: 'ask:1', actions: [], silent: true }, passing: true })
  })

  it('the result of an answer replaces it', () => {
    const { data } = contentOf(payload).options
    expect(resultContent(data, 'You approved it.', true)).toMatchObject({
      title: 'Run the tests?',
      options: { body: 'You approved it.', tag: 'ask:1', silent: true, data: { url: '/asks/1' } },
      passing: true,
    })
  })
})

describe('an answer from a notification', () => {
  it('is sent once however often it is tapped: it has its own key', async () => {
    const calls: { url: string; init: object | undefined }[] = []
    const came = await answerAsk('a1', 'approve', async (url, init) => {
      calls.push({ url, init })
      return Response.json({ status: 'answered' })
    })
    expect(came).toEqual({ words: 'You approved it.', over: true })
    expect(calls).toMatchObject([
      {
        url: '/api/asks/a1/answer',
        init: {
          method: 'POST',
          body: '{"outcome":"approve"}',
          headers: { 'idempotency-key': 'notification:a1:approve' },
        },
      },
    ])
  })

  it('without a connection reports an unknown outcome, and stays', async () => {
    const came = await answerAsk('a1', 'reject', () => Promise.reject(new TypeError('no network')))
    expect(came).toMatchObject({ over: false, words: expect.stringContaining('may not have arrived') })
  })

  it('says who was first, that another has to approve, that you are signed out, and why it was refused', () => {
    const error = (message: string) => ({ error: { code: 'x', message } })
    expect(resultOf(409, error('Bob answered it first.'), 'approve')).toEqual({
      words: 'Bob answered it first.',
      over: true,
    })
    expect(resultOf(200, { status: 'open' }, 'approve').words).toContain('Someone else')
    expect(resultOf(401, error('?'), 'approve')).toMatchObject({
      over: false,
      words: expect.stringContaining('signed out'),
    })
    expect(resultOf(403, error('Only the owner may.'), 'stop')).toEqual({
      words: 'Refused: Only the owner may. Tap to open.',
      over: false,
    })
    expect(resultOf(502, null, 'stop').words).toContain('502')
  })
})

describe('whether a browser can be notified', () => {
  const at = {
    isSecureContext: true,
    userAgent: 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36',
    maxTouchPoints: 5,
    standalone: false,
    hasPush: true,
    permission: 'default' as NotificationPermission | null,
  }
  const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1'
  const iPad = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15'

  it.each([
    ['permission was not asked yet', {}, 'ask'],
    ['permission was granted', { permission: 'granted' }, 'allowed'],
    ['permission was denied', { permission: 'denied' }, 'denied'],
    ['there is no TLS', { isSecureContext: false }, 'insecure'],
    ['it does not support it', { hasPush: false }, 'unsupported'],
    ['it has no notifications', { permission: null }, 'unsupported'],
    ['an iPhone in the browser', { userAgent: iPhone, hasPush: false, permission: null }, 'add_to_home_screen'],
    ['an iPad that claims to be a Mac', { userAgent: iPad }, 'add_to_home_screen'],
    ['a Mac', { userAgent: iPad, maxTouchPoints: 0 }, 'ask'],
    ['an iPhone from the Home Screen', { userAgent: iPhone, standalone: true }, 'ask'],
  ] as const)('%s', (_name, more, state) => {
    expect(pushStateOf({ ...at, ...more })).toBe(state)
  })

  it('a key is converted for browsers', () => {
    expect([...bytesOf('_-8A')]).toEqual([255, 239, 0])
  })

  it.each([
    [iPhone, 'Safari on iPhone'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['something else', 'Browser'],
  ])('has a name people know', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name)
  })
})

describe('offline', () => {
  const shell = '<div id="root"></div><script src="/assets/main-1.js"></script><link href="/assets/main-2.css">'
  const request = (path: string, mode: RequestMode = 'navigate', method = 'GET') =>
    ({ url: `https://box.example.org${path}`, mode, method }) as Request

  function surroundings() {
    const stores = new Map<string, Map<string, Response>>()
    const net = { online: true, page: shell, asked: [] as string[] }
    const keyOf = (asked: Request | string) =>
      new URL(typeof asked === 'string' ? asked : asked.url, 'https://box.example.org').pathname
    const fetch = async (asked: Request | string) => {
      if (!net.online) throw new TypeError('no network')
      net.asked.push(keyOf(asked))
      return new Response(keyOf(asked).startsWith('/assets/') ? 'code' : net.page)
    }
    const caches = {
      open: async (name: string) => {
        const store = stores.get(name) ?? new Map<string, Response>()
        stores.set(name, store)
        return {
          match: async (asked: Request | string) => store.get(keyOf(asked))?.clone(),
          put: async (asked: Request | string, response: Response) => void store.set(keyOf(asked), response),
          addAll: async (all: string[]) => {
            for (const one of all) store.set(one, await fetch(one))
          },
        }
      },
      keys: async () => [...stores.keys()],
      delete: async (name: string) => stores.delete(name),
    }
    const offline = createOffline({ caches: caches as unknown as CacheStorage, fetch, build: 'b2' })
    return { offline, net, stores }
  }

  it('the page and what it needs first are available at any address', async () => {
    const { offline, net } = surroundings()
    await offline.keepShell()
    net.online = false
    expect(await (await offline.answer(request('/sessions/1')))?.text()).toBe(shell)
    expect(await (await offline.answer(request('/assets/main-1.js', 'no-cors')))?.text()).toBe('code')
  })

  it('an offline page is shown if nothing is cached', async () => {
    const { offline, net } = surroundings()
    net.online = false
    const response = await offline.answer(request('/'))
    expect(response?.status).toBe(503)
    expect(await response?.text()).toContain('can’t be reached')
  })

  it('no API response, login or change is answered from the cache or cached', () => {
    const { offline } = surroundings()
    for (const one of [
      request('/api/inbox', 'cors'),
      request('/api/docs'),
      request('/login?code=1'),
      request('/', 'navigate', 'POST'),
      request('/manifest.webmanifest', 'no-cors'),
    ])
      expect(offline.answer(one)).toBeNull()
  })

  it('the signed-out page does not replace the dashboard', async () => {
    const { offline, net } = surroundings()
    await offline.answer(request('/'))
    net.page = '<h1>Sign in</h1>'
    expect(await (await offline.answer(request('/')))?.text()).toBe('<h1>Sign in</h1>')
    net.online = false
    expect(await (await offline.answer(request('/')))?.text()).toBe(shell)
  })

  it('a new build deletes the previous cache', async () => {
    const { offline, stores } = surroundings()
    stores.set('signalbox-b1', new Map())
    stores.set('of-somebody-else', new Map())
    await offline.keepShell()
    await offline.forgetOthers()
    expect([...stores.keys()].toSorted()).toEqual(['of-somebody-else', 'signalbox-b2'])
  })
})
