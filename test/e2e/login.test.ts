import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { startServer, type Server } from '../support/server.ts'

type Skip = { skip: (note?: string) => never }
type User = { user: { displayName: string } }

describe('signing in with a browser', () => {
  let server: Server
  let name: string
  beforeAll(async () => {
    server = await startServer()
    name = (await server.api().get<User>('/api/me')).user.displayName
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const newLink = async () => (await server.api().post<{ url: string }>('/api/login-links')).url

  /** A page that records console and network errors. */
  async function openPage(context: Skip, width = 1280) {
    const browser = await openBrowser(context)
    const phone = width < 500 && { hasTouch: true, isMobile: true }
    const page = await browser.newPage({ viewport: { width, height: 800 }, ...phone })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('requestfailed', (request) => {
      // Navigating away before a response is read is not a failure.
      const why = request.failure()?.errorText ?? 'failed'
      if (!why.includes('ERR_ABORTED')) complaints.push(`${request.url()} ${why}`)
    })
    return { page, complaints, [Symbol.asyncDispose]: () => browser.close() }
  }

  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

  it('C2 the printed link signs in, and the page says who', async (context) => {
    await using opened = await openPage(context)
    const { page, complaints } = opened
    await page.goto(server.loginLink)
    await page.getByText('Signed in as').waitFor()
    expect(await page.getByRole('navigation', { name: 'Places' }).innerText()).toContain(name)
    expect(new URL(page.url()).pathname).toBe('/')
    expect(page.url()).not.toContain('code=')
    await page.reload()
    await page.getByText('Signed in as').waitFor()
    const script = await page.evaluate('document.cookie')
    expect(script).toBe('')
    expect(complaints.join('\n')).toBe('')
  })

  it('C2 a used link says so, and how to get another', async (context) => {
    const link = await newLink()
    await using first = await openPage(context)
    await first.page.goto(link)
    await first.page.getByText('Signed in as').waitFor()
    await using second = await openPage(context)
    await second.page.goto(link)
    await second.page.getByText('already used').waitFor()
    const main = second.page.locator('main')
    await main.getByText('signalbox login').first().waitFor()
    // A way on from there: the link that is made meanwhile.
    await main.getByLabel('Or paste a login link').fill(await newLink())
    await main.getByRole('button', { name: 'Sign in' }).click()
    await second.page.getByText('Signed in as').waitFor()
    await using third = await openPage(context)
    await third.page.goto(link)
    await third.page.getByLabel('Or paste a login link').waitFor()
    await third.page.goto(server.address)
    await third.page.getByText('not signed in').waitFor()
    expect(await third.page.getByLabel('Or paste a login link').count()).toBe(1)
  })

  it('C2 an incomplete link says so', async (context) => {
    await using opened = await openPage(context)
    await opened.page.goto(`${server.address}/login?code=abc`)
    await opened.page.getByText('incomplete').waitFor()
    expect(await opened.page.getByRole('heading', { name: 'Inbox' }).count()).toBe(0)
  })

  it('C2 a pasted link signs in, as an app on a Home Screen needs', async (context) => {
    await using opened = await openPage(context, 390)
    const { page, complaints } = opened
    await page.goto(server.address)
    await page.getByLabel('Or paste a login link').fill(` ${await newLink()}`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    expect(complaints.join('\n')).toBe('')
  })

  it('C2 signing out ends the login here and on the server', async (context) => {
    await using opened = await openPage(context)
    const { page, complaints } = opened
    await page.goto(await newLink())
    await page.getByText('Signed in as').waitFor()
    await page.goto(`${server.address}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('not signed in').waitFor()
    await page.reload()
    await page.getByText('not signed in').waitFor()
    expect(complaints.join('\n')).toBe('')
  })

  it('C2 signing out while the page is loading causes no error', async (context) => {
    await using opened = await openPage(context)
    const { page, complaints } = opened
    await page.goto(await newLink())
    await page.getByText('Signed in as').waitFor()
    const loggedOut = page.waitForResponse('**/api/logout')
    // The inbox is requested, and the server sees the request only after the logout.
    const inbox = '**/api/inbox*'
    await page.route(inbox, async (route) => {
      await loggedOut
      await route.continue().catch(() => {})
    })
    await page.goto('about:blank')
    const asked = page.waitForRequest(inbox)
    await page.goto(`${server.address}/settings`)
    const reading = await asked
    const settled = Promise.withResolvers<void>()
    const over = (request: unknown) => {
      if (request === reading) settled.resolve()
    }
    page.on('requestfinished', over)
    page.on('requestfailed', over)
    // The page is not left before that request ends.
    await page.route(`${server.address}/`, async (route) => {
      await settled.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('not signed in').waitFor()
    expect(complaints.join('\n')).toBe('')
  })

  it.for([1280, 390])(
    'B11 pages fit %i pixels without scrolling sideways, signed in and out',
    async (width, context) => {
      await using opened = await openPage(context, width)
      const { page, complaints } = opened
      const fits = async (where: string) => expect([where, await page.evaluate(overflow)]).toEqual([where, 0])
      await page.goto(server.address)
      await page.getByText('not signed in').waitFor()
      await fits('signed out')
      await page.goto(await newLink())
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      await fits('signed in')
      await page.goto(`${server.address}/settings`)
      const button = await page.getByRole('button', { name: 'Sign out' }).boundingBox()
      expect(button!.height).toBeGreaterThanOrEqual(width < 500 ? 44 : 36)
      await page.goto(`${server.address}/api/docs`)
      await page.getByRole('heading', { name: 'The API' }).waitFor()
      await fits('the API')
      for (const summary of (await page.locator('summary').all()).slice(0, 6)) await summary.click()
      await fits('the API, opened')
      expect(complaints.join('\n')).toBe('')
    },
  )
})
