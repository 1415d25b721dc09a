import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard, type Opened } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Token = { name: string }

/** What an agent could run: a page on another port of this host, which keeps the cookies it gets. */
type OtherPort = AsyncDisposable & {
  readonly origin: string
  readonly cookies: string[]
  /** Sent with every response. */
  setsCookie: string | null
}

async function openOtherPort(): Promise<OtherPort> {
  const cookies: string[] = []
  const server = createServer((request, response) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie)
    response.writeHead(200, {
      'content-type': request.url?.endsWith('.js') ? 'text/javascript' : 'text/html',
      ...(other.setsCookie !== null && { 'set-cookie': other.setsCookie }),
    })
    response.end(request.url?.endsWith('.js') ? '' : '<!doctype html><title>Preview</title><h1>Preview</h1>')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const other: OtherPort = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cookies,
    setsCookie: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
  return other
}

describe('a page on another port of the same host', () => {
  let dashboard: Dashboard
  let other: OtherPort
  beforeAll(async () => {
    dashboard = await openDashboard()
    other = await openOtherPort()
  })
  afterAll(async () => {
    await other?.[Symbol.asyncDispose]()
    await dashboard?.[Symbol.asyncDispose]()
  })

  const ours = () => dashboard.server.address
  const tokens = async () => (await dashboard.owner.list<Token>('/api/tokens')).map(({ name }) => name)

  /** The owner follows an agent's link to it, past our warning. */
  async function lured(opened: Opened): Promise<Page> {
    const { page, context } = opened
    const session = await dashboard.start(`/say Have a look: [preview](${other.origin}/)`)
    await page.goto(`${ours()}/sessions/${session.id}`)
    const [leaving] = await Promise.all([
      context.waitForEvent('page'),
      page
        .getByRole('log')
        .getByRole('link', { name: /preview/ })
        .click(),
    ])
    await leaving.getByRole('link', { name: 'Open anyway' }).click()
    await leaving.getByRole('heading', { name: 'Preview' }).waitFor()
    return leaving
  }

  it('S3 gets the cookie when a link is clicked, and can’t use it', async (context) => {
    await using opened = await dashboard.open(context)
    const waiting = await dashboard.start('/write stolen.txt Mine')
    const ask = await dashboard.asks(waiting.id)
    await lured(opened)
    const cookie = await until(() => other.cookies.find((one) => one.includes('signalbox_login')), {
      what: 'the cookie at the other port',
    })
    // What its program does with it, with any headers it likes.
    const thief = dashboard.server.tcp({ cookie, origin: ours(), 'sec-fetch-site': 'same-origin' })
    const answer = { body: { outcome: 'allow_once' } }
    const tried = [
      await thief.send('GET', '/api/me'),
      await thief.send('GET', '/api/sessions'),
      await thief.send('GET', '/api/events'),
      await thief.send('POST', '/api/tokens', { body: { name: 'stolen' } }),
      await thief.send('POST', '/api/login-links', { body: {} }),
      await thief.send('POST', `/api/asks/${ask.id}/answer`, answer),
    ]
    expect(tried.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401])
    expect((await dashboard.ask(ask.id)).status).toBe('open')
    expect(dashboard.file('stolen.txt')).toBeNull()
    expect(await tokens()).not.toContain('stolen')
  })

  it('S3 reads and changes nothing through the browser, and has no handle on our window', async (context) => {
    await using opened = await dashboard.open(context)
    const page = await lured(opened)
    const [held] = await Promise.all([
      opened.context.waitForEvent('page'),
      page.evaluate((target) => void Object.assign(globalThis, { held: open(target) }), ours()),
    ])
    await held.getByText('Signed in as').waitFor()
    const came = await page.evaluate(async (target) => {
      const outcome = (asked: Promise<Response>) =>
        asked.then(
          ({ type, status }) => `${type} ${status}`,
          () => 'refused',
        )
      const post = (more: RequestInit) =>
        outcome(fetch(`${target}/api/tokens`, { method: 'POST', credentials: 'include', ...more }))
      const body = JSON.stringify({ name: 'from a page' })
      const frame = document.createElement('iframe')
      frame.src = target
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      const window = (globalThis as { held?: Window | null }).held ?? null
      let reach = 'none'
      try {
        reach = String(window?.document.title)
      } catch {
        // The expected state.
      }
      return {
        read: await outcome(fetch(`${target}/api/me`, { credentials: 'include' })),
        blind: await outcome(fetch(`${target}/api/me`, { credentials: 'include', mode: 'no-cors' })),
        keyed: await outcome(
          fetch(`${target}/api/me`, { credentials: 'include', headers: { 'x-signalbox-key': 'x'.repeat(43) } }),
        ),
        simple: await post({ mode: 'no-cors', body, headers: { 'content-type': 'text/plain' } }),
        json: await post({ body, headers: { 'content-type': 'application/json' } }),
        signIn: await outcome(fetch(`${target}/login`, { method: 'POST', mode: 'no-cors', body: '{"code":"x"}' })),
        script: await new Promise((resolve) => {
          const script = document.createElement('script')
          script.src = `${target}/sign-in.js`
          script.addEventListener('load', () => resolve('loaded'))
          script.addEventListener('error', () => resolve('refused'))
          document.body.append(script)
        }),
        framed: frame.contentDocument === null && frame.contentWindow?.length === 0,
        opened: { reach, closed: window === null || window.closed },
        opener: globalThis.opener === null,
        storage: (await indexedDB.databases()).length,
        referrer: document.referrer,
      }
    }, ours())
    expect(came).toEqual({
      read: 'refused',
      blind: 'refused',
      keyed: 'refused',
      simple: 'refused',
      json: 'refused',
      signIn: 'refused',
      script: 'refused',
      framed: true,
      opened: { reach: 'none', closed: true },
      opener: true,
      storage: 0,
      referrer: '',
    })
    expect(await tokens()).not.toContain('from a page')
  })

  it('S3 with its own cookies causes at most a new sign-in, and can’t sign anyone in as someone else', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const [login] = await opened.context.cookies()
    const eve = await dashboard.owner.post<{ id: string }>('/api/users', { displayName: 'Eve' })
    const { url } = await dashboard.owner.post<{ url: string }>('/api/login-links', { userId: eve.id })
    const code = new URL(url).searchParams.get('code')
    const reply = await dashboard.server.tcp().send('POST', '/login', { body: { code }, headers: { origin: ours() } })
    const theirs = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const tossing = await lured(opened)
    // Next to ours, and sent before it.
    await tossing.evaluate((cookie) => {
      for (const path of ['/api', '/api/me', '/api/events', '/sessions']) document.cookie = `${cookie}; path=${path}`
    }, theirs)
    await page.goto(`${ours()}/sessions`)
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByText('Signed in as').waitFor()
    expect(await page.getByRole('navigation', { name: 'Places' }).innerText()).not.toContain('Eve')
    // In its place: a header can do that, even if the cookie is hidden from scripts.
    other.setsCookie = `${theirs}; Path=/; HttpOnly; SameSite=Lax`
    await tossing.reload()
    other.setsCookie = null
    await until(async () => (await opened.context.cookies()).every(({ value }) => value !== login?.value))
    await page.reload()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await page.locator('main').innerText()).toContain('Sign in again')
    expect(await page.locator('body').innerText()).not.toContain('Eve')
    // And from there back to the previous page.
    const again = await dashboard.owner.post<{ url: string }>('/api/login-links', {})
    await page.getByLabel('Or paste a login link').fill(again.url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${ours()}/sessions`)
    await page.getByText('Signed in as').waitFor()
  })

  it('S3 that leads to someone else’s login link signs nobody in', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const { user } = await dashboard.owner.get<{ user: { displayName: string } }>('/api/me')
    const eve = await dashboard.owner.post<{ id: string }>('/api/users', { displayName: 'Eve' })
    const { url } = await dashboard.owner.post<{ url: string }>('/api/login-links', { userId: eve.id })
    const lure = await lured(opened)
    await lure.evaluate((to) => location.assign(to), url)
    await lure.getByText('Sign in only if you created the link yourself').waitFor()
    await page.reload()
    await page.getByRole('link', { name: `Signed in as ${user.displayName}` }).waitFor()
    // Nor is an agent's link opened from our own page.
    await page.goto(`${ours()}/leaving#${encodeURIComponent(url)}`)
    await page.getByRole('alert').getByText('This is a login link').waitFor()
    expect(await page.getByRole('main').getByRole('link', { name: /open/i }).count()).toBe(0)
  })
})
