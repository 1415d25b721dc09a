import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookInto } from '../conformance/look.ts'
import { openBrowser } from '../support/browser.ts'
import { openPushedPage } from '../support/dashboard-worker.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** What this origin stores of the login; undefined if nothing. */
const keptKey = (page: Page): Promise<unknown> =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opened = indexedDB.open('signalbox')
        opened.addEventListener('error', () => reject(new Error('refused')))
        opened.addEventListener('success', () => {
          const rows = opened.result.transaction('login').objectStore('login').get('key')
          rows.addEventListener('success', () => resolve(rows.result))
          opened.result.close()
        })
      }),
  )

/** Like clearing a site's data, which may leave its cookies. */
const clearData = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const gone = indexedDB.deleteDatabase('signalbox')
        gone.addEventListener('success', () => resolve())
        gone.addEventListener('error', () => reject(new Error('refused')))
      }),
  )

describe('the login key', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const here = () => dashboard.server.address
  const newLink = async (userId?: string) =>
    (await dashboard.owner.post<{ url: string }>('/api/login-links', userId === undefined ? {} : { userId })).url
  const signedIn = (page: Page) => page.getByText('Signed in as').waitFor()
  const expectSignedIn = async (page: Page) => {
    await signedIn(page)
    expect(await page.getByRole('heading', { name: 'You are signed out' }).isVisible()).toBe(false)
  }
  const signedOut = (page: Page) => page.getByRole('heading', { name: 'You are signed out' }).waitFor()

  it('S3 is kept by this origin, is sent with every request, and the code leaves no trace in address or history', async (context) => {
    await using opened = await dashboard.open(context)
    const { page, complaints } = opened
    const { key } = (await keptKey(page)) as { key: string }
    expect(key).toMatch(/^[\w-]{43}$/)
    const asked: { url: string; key: string | undefined }[] = []
    page.on('request', (request) => asked.push({ url: request.url(), key: request.headers()['x-signalbox-key'] }))
    await page.reload()
    await signedIn(page)
    const calls = await until(() => {
      const found = asked.filter(({ url }) => new URL(url).pathname.startsWith('/api/'))
      return found.length > 2 ? found : null
    })
    expect(calls.filter((call) => call.key !== key)).toEqual([])
    expect(asked.filter(({ url }) => url.includes(key))).toEqual([])
    await page.goBack().catch(() => null)
    expect(page.url()).not.toContain('code')
    expect(await page.content()).not.toContain(key)
    expect(complaints).toEqual([])
  })

  it('S3 if lost with the site’s data, you sign in again and get back to where you were', async (context) => {
    await using opened = await dashboard.open(context, { path: '/settings/tokens' })
    const { page } = opened
    await page.getByRole('heading', { name: 'Tokens' }).first().waitFor()
    await clearData(page)
    await page.reload()
    await signedOut(page)
    expect(await page.locator('main').innerText()).toContain('data for this page was cleared')
    await page.getByLabel('Or paste a login link').fill(await newLink())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${here()}/settings/tokens`)
    await signedIn(page)
  })

  it('S3 a login in another tab updates one that was signed out', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    await clearData(page)
    await page.reload()
    await signedOut(page)
    const second = await opened.context.newPage()
    await second.goto(await newLink())
    await signedIn(second)
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    // And a new login of the same person does not disturb the open tab.
    await second.goto(await newLink())
    await signedIn(second)
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await expectSignedIn(page)
  })

  it('S3 a link opened twice says that you are already signed in', async (context) => {
    await using opened = await dashboard.open(context)
    const url = await newLink()
    await opened.page.goto(url)
    await signedIn(opened.page)
    const second = await opened.context.newPage()
    await second.goto(url)
    await second.getByText('already used').waitFor()
    await second.getByText('This browser is already signed in').waitFor()
    await second.getByRole('link', { name: 'Open Signalbox' }).click()
    await expectSignedIn(second)
  })

  it('S3 someone else’s link asks before it changes who is signed in', async (context) => {
    const { id } = await dashboard.owner.post<{ id: string }>('/api/users', { displayName: 'Eve Elsewhere' })
    const { user } = await dashboard.owner.get<{ user: { displayName: string } }>('/api/me')
    await using opened = await dashboard.open(context)
    const { page } = opened
    await page.goto(await newLink(id))
    await page.getByText('This login link is for Eve Elsewhere').waitFor()
    const tab = await opened.context.newPage()
    await tab.goto(here())
    await tab.getByRole('link', { name: `Signed in as ${user.displayName}` }).waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Signed in as Eve Elsewhere' }).waitFor()
    // Nothing on the other tab belongs to this person: it reloads.
    await tab.getByRole('link', { name: 'Signed in as Eve Elsewhere' }).waitFor()
    expect(await tab.getByText(user.displayName).count()).toBe(0)
  })

  it('S3 a requested page opens after login, and nothing else does', async (context) => {
    const session = await dashboard.start('/say Here I am')
    await using browser = await openBrowser(context)
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${here()}/sessions/${session.id}`)
    await page.getByText('not signed in').waitFor()
    expect(await page.context().cookies()).toEqual([])
    const tab = await page.context().newPage()
    await tab.goto(await newLink())
    await tab.waitForURL(`${here()}/sessions/${session.id}`)
    await tab.getByText('Here I am').first().waitFor()
    for (const odd of ['//evil.example', '/\\evil.example', '/%5cevil.example', '%zz', 'javascript:alert(1)']) {
      await tab.evaluate((to) => localStorage.setItem('signalbox.wanted', `${Date.now()} ${to}`), odd)
      await tab.goto(await newLink())
      await tab.waitForURL(`${here()}/`)
    }
  })

  it('S3 a browser without storage is told so, and the link is not used up', async (context) => {
    await using browser = await openBrowser(context)
    const url = await newLink()
    const blind = await browser.newPage()
    await blind.addInitScript(() => {
      indexedDB.open = () => {
        throw new DOMException('no', 'SecurityError')
      }
    })
    await blind.goto(url)
    await blind.getByText('stores no data for this page').waitFor()
    const bare = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    for (const at of [url, here()]) {
      await bare.goto(at)
      expect(await bare.locator('main').innerText()).toContain('needs JavaScript')
    }
    const page = await (await browser.newContext()).newPage()
    await page.goto(url)
    await signedIn(page)
  })

  it('S3 a login older than login keys has to sign in again, is told why, and returns', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    await using look = await lookInto(dashboard.server)
    await look.change('update logins set key_hash = null')
    // The server drops its cache of logins when one of them changes.
    await dashboard.owner.post('/api/tokens', { name: 'something new' })
    await page.goto(`${here()}/settings/agents`)
    await page.getByText('Please sign in again').waitFor()
    const tab = await opened.context.newPage()
    await tab.goto(await newLink())
    await tab.waitForURL(`${here()}/settings/agents`)
    await expectSignedIn(tab)
  })

  it('S3 two servers on different ports of one host do not interfere', async (context) => {
    await using other = await startServer()
    await using opened = await dashboard.open(context)
    const second = await opened.context.newPage()
    await second.goto(other.loginLink)
    await signedIn(second)
    for (const page of [opened.page, second]) {
      await page.reload()
      await signedIn(page)
    }
    await second.goto(`${other.address}/settings`)
    await second.getByRole('button', { name: 'Sign out' }).click()
    await second.getByText('not signed in').waitFor()
    await opened.page.reload()
    await expectSignedIn(opened.page)
  })

  it('S3 is deleted on sign-out, and no cache holds it or an API response', async (context) => {
    await using opened = await dashboard.open(context, { path: '/settings' })
    const { page } = opened
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await page.reload()
    const { key } = (await keptKey(page)) as { key: string }
    const cached = await page.evaluate(async () => {
      const all: { url: string; text: string }[] = []
      for (const name of await caches.keys()) {
        const cache = await caches.open(name)
        for (const request of await cache.keys())
          all.push({ url: request.url, text: (await (await cache.match(request))?.text()) ?? '' })
      }
      return all
    })
    expect(cached.length).toBeGreaterThan(1)
    expect(cached.filter(({ url }) => url.includes('/api/'))).toEqual([])
    expect(cached.filter(({ text }) => text.includes(key))).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('not signed in').waitFor()
    expect(await keptKey(page)).toBeUndefined()
    expect(await opened.context.cookies()).toEqual([])
  })

  it('S3 a notification answers with it, and opens the page without it', async (context) => {
    await using opened = await dashboard.open(context, { path: '/settings' })
    const { page } = opened
    await opened.context.grantPermissions(['notifications'], { origin: here() })
    const worker = await openPushedPage(page, here())
    const session = await dashboard.start('/write tapped.txt Tapped')
    const ask = await dashboard.asks(session.id)
    await clearData(page)
    await worker.deliver({
      v: 1,
      type: 'needs_you',
      tag: `ask:${ask.id}`,
      title: ask.title,
      body: 'depot',
      url: `/asks/${ask.id}`,
      askId: ask.id,
      actions: [{ action: 'approve', title: 'Approve' }],
      silent: false,
      badge: 1,
      at: '',
    })
    await worker.says(`ask:${ask.id}`, ask.title)
    await worker.tap(`ask:${ask.id}`, 'approve')
    await page.waitForURL(`${here()}/asks/${ask.id}`)
    expect((await dashboard.ask(ask.id)).status).toBe('open')
    expect(dashboard.file('tapped.txt')).toBeNull()
  })

  it('S3 downloads send it', async (context) => {
    const session = await dashboard.start('/say For the record')
    await using opened = await dashboard.open(context, { path: '/settings/audit' })
    const { page, complaints } = opened
    const saved = async (act: () => Promise<void>) => {
      const [download] = await Promise.all([page.waitForEvent('download'), act()])
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const audit = await saved(() => page.getByRole('button', { name: 'Export' }).click())
    expect(audit.name).toBe('signalbox-audit.ndjson')
    expect(audit.text).toContain(session.id)
    await page.goto(`${here()}/sessions/${session.id}`)
    await page.getByText('For the record').first().waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const conversation = await saved(() => page.getByRole('menuitem', { name: 'Export as Markdown' }).click())
    expect(conversation).toMatchObject({
      name: expect.stringMatching(/\.md$/),
      text: expect.stringContaining('For the record'),
    })
    const { sessionId } = await dashboard.owner.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['sh', '-c', 'echo recorded; sleep 600'],
    })
    await page.goto(`${here()}/terminals/${sessionId}`)
    await until(async () => (await page.locator('.xterm-rows').innerText()).includes('recorded'))
    const cast = await saved(() => page.getByRole('button', { name: 'Download recording' }).click())
    expect(cast).toMatchObject({ name: expect.stringMatching(/\.cast$/), text: expect.stringContaining('recorded') })
    await dashboard.owner.post(`/api/terminals/${sessionId}/end`)
    expect(complaints).toEqual([])
  })
})
