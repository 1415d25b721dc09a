import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, overflow } from '../support/dashboard-barriers.ts'
import { openDashboard, sizes, type Dashboard, type Size } from '../support/dashboard.ts'

const everywhere: readonly Size[] = ['desktop', 'phone']

describe('signing in without a link', () => {
  let dashboard: Dashboard
  let address = ''
  beforeAll(async () => {
    dashboard = await openDashboard()
    // Browsers make passkeys for names, not for numbers.
    address = dashboard.server.address.replace('127.0.0.1', 'localhost')
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  /** Chromium's own authenticator in software, which checks its person. */
  async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  }
  /** Chromium logs each refused request. */
  const besides = (complaints: readonly string[]) => complaints.filter((one) => !/status of 40[13]/.test(one))
  const isIn = (page: Page) => page.getByRole('navigation', { name: 'Places' }).waitFor()

  const signOut = async (page: Page) => {
    await page.goto(`${address}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  }

  it.for(everywhere)('S3 on a %s: a passkey is added, named, signs in, and is removed', async (size, context) => {
    await using opened = await dashboard.open(context, { size, address, path: '/settings/sign-in' })
    const { page, complaints } = opened
    await withAuthenticator(opened.context, page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const row = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem').first()
    await row.getByText('never used').waitFor()
    await row.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Key of the yard')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await row.getByText('Key of the yard').waitFor()
    expect(await overflow(page)).toEqual([])
    expect(await barriers(page, 'light')).toEqual([])
    // The same device has one already.
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device already has a passkey for you.').waitFor()

    await signOut(page)
    await page.goto(`${address}/sessions`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await isIn(page)
    // Where they wanted to go.
    await page.waitForURL(`${address}/sessions`)
    await page.goto(`${address}/settings/sign-in`)
    await row.getByText('Key of the yard').waitFor()
    expect(await row.getByText('never used').count()).toBe(0)

    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('You have no passkey.').waitFor()
    await signOut(page)
    await page.goto(`${address}/`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey does not sign in here.').waitFor()
    expect(await page.getByRole('navigation', { name: 'Places' }).count()).toBe(0)
    expect(besides(complaints)).toEqual([])
  })

  it.for(everywhere)('S3 on a %s: a device shows a code, and a signed-in device lets it in', async (size, context) => {
    await using opened = await dashboard.open(context, { size, path: '/settings/sign-in' })
    const { page, complaints } = opened
    const fresh = await opened.context.browser()!.newContext({ viewport: sizes[size] })
    const waiting = await fresh.newPage()
    const codeOn = async (): Promise<string> => {
      await waiting.getByRole('button', { name: 'Sign in from another device' }).click()
      await waiting.getByText('Waiting for the other device…').waitFor()
      return waiting.locator('#device-code').innerText()
    }
    const enter = async (code: string) => {
      await page.getByLabel('Code on the other device').fill(code)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await waiting.goto(dashboard.server.address)
    const refused = await codeOn()
    expect(await overflow(waiting)).toEqual([])
    expect(await barriers(waiting, 'light')).toEqual([])
    await enter('AAAA-AAAA')
    await page.getByText('This code is wrong, was used, or is older than five minutes.').waitFor()
    await enter(refused)
    await page.getByText(/Chrome on Linux at \S+ asks to be signed in as you/).waitFor()
    await page.getByText('If somebody sent you the code, refuse').waitFor()
    expect(await overflow(page)).toEqual([])
    expect(await barriers(page, 'light')).toEqual([])
    await page.getByRole('button', { name: 'Refuse' }).click()
    await waiting.getByText('The other device refused.').waitFor()

    await enter(await codeOn())
    await page.getByRole('button', { name: 'Sign it in as me' }).click()
    await isIn(waiting)
    await waiting.goto(`${dashboard.server.address}/settings`)
    await waiting.getByRole('button', { name: 'Sign out' }).waitFor()
    await fresh.close()
    expect(besides(complaints)).toEqual([])
  })
})
