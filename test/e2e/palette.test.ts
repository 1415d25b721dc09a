import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { focusOf, press } from '../support/dashboard-keys.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

describe('the command palette', () => {
  let dashboard: Dashboard
  let session: { id: string }
  let ask: { id: string }
  beforeAll(async () => {
    dashboard = await openDashboard()
    session = await dashboard.start('/say Paint the water tower')
    const other = await dashboard.start('/write turntable.txt By hand')
    ask = await dashboard.asks(other.id)
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to or do' })
  const field = (page: Page) => palette(page).getByRole('combobox')
  const options = (page: Page) => palette(page).getByRole('option')
  /** Opens it with its key and types; Enter then takes the best. */
  async function find(page: Page, words: string, wanted: RegExp): Promise<void> {
    await press(page, 'Control+k')
    await field(page).waitFor()
    await page.keyboard.type(words)
    const best = palette(page).locator('[role=option][data-highlighted]')
    await until(async () => wanted.test((await best.allInnerTexts()).join('')), { what: `${wanted} for ${words}` })
    await press(page, 'Enter')
    await palette(page).waitFor({ state: 'detached' })
  }
  const loaded = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page
      .getByRole('link', { name: /turntable/ })
      .first()
      .waitFor()
  }

  it('B1 Ctrl+K leads to a session, an ask and a settings page by a few letters', async (context) => {
    await using opened = await dashboard.open(context)
    const { page, complaints } = opened
    page.on('response', (response) => response.status() >= 400 && complaints.push(response.url()))
    await loaded(page)
    await find(page, 'water tow', /Paint the water tower/)
    await page.waitForURL(`**/sessions/${session.id}`)
    await find(page, 'turntable', /turntable/)
    await page.waitForURL(new RegExp(ask.id))
    await find(page, 'notif', /^Notifications/)
    await page.waitForURL('**/settings/notifications')
    // Letters at the starts of words.
    await find(page, 'nsch', /New schedule/)
    await page.waitForURL('**/schedules/new')
    expect(complaints).toEqual([])
  })

  it('B1 it offers what the view can do, with its keys, and does it', async (context) => {
    const { id } = await dashboard.start('/write by-palette.txt By hand')
    const one = await dashboard.asks(id)
    await using opened = await dashboard.open(context, { path: `/asks/${one.id}` })
    const { page, complaints } = opened
    await page.locator('[role=group][aria-label=Answer] button[aria-keyshortcuts=a]:enabled').waitFor()
    await press(page, 'Control+k')
    const approve = options(page).filter({ hasText: 'Approve, continue or yes' })
    await approve.waitFor()
    expect(await approve.locator('kbd').innerText()).toBe('a')
    await page.keyboard.type('approve')
    await press(page, 'Enter')
    await until(async () => (await dashboard.ask(one.id)).status !== 'open', { what: 'the answer' })
    expect(await dashboard.owner.get(`/api/asks/${one.id}`)).toMatchObject({
      answer: { outcome: 'select' },
      status: expect.not.stringMatching('open'),
    })

    await page.goto(`${dashboard.server.address}/sessions/${session.id}`)
    await page.getByRole('button', { name: 'More' }).waitFor()
    await find(page, 'delegate', /Delegate/)
    await page.getByRole('dialog', { name: 'Delegate' }).waitFor()
    // Another dialog has the keyboard to itself.
    await press(page, 'Control+k')
    expect(await palette(page).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('B1 it opens within a frame once its code is there, takes the keyboard and gives it back', async (context) => {
    await using opened = await dashboard.open(context)
    const { page, complaints } = opened
    await loaded(page)
    const code = /assets\/palette-/
    const requested: string[] = []
    page.on('request', (request) => code.test(request.url()) && requested.push(request.url()))
    await press(page, 'g', 's')
    await page.waitForURL('**/sessions')
    expect(requested).toEqual([])
    await press(page, 'Control+k')
    await field(page).waitFor()
    expect(requested).not.toEqual([])
    expect(await focusOf(page)).toMatchObject({ within: 'dialog' })
    await page.keyboard.type('zzzz')
    await palette(page).getByText('No matches').waitFor()
    await press(page, 'Control+k')
    await palette(page).waitFor({ state: 'detached' })
    const isThere = await page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          requestAnimationFrame(() => {
            const how = { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }
            document.body.dispatchEvent(new KeyboardEvent('keydown', how))
            requestAnimationFrame(() => resolve(document.querySelector('[role=dialog] [role=option]') !== null))
          })
        }),
    )
    expect(isThere).toBe(true)
    await press(page, 'Escape')
    await palette(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/sessions')
    // The keys of the view work again.
    await press(page, '?')
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('go to or do anything').waitFor()
    expect(complaints).toEqual([])
  })

  it.for(['desktop', 'phone'] as const)(
    'B1 on a %s: nothing cut off, accessible, and by touch',
    async (size, context) => {
      await using opened = await dashboard.open(context, { size, context: { reducedMotion: 'reduce' } })
      const { page, complaints } = opened
      await loaded(page)
      const button = page.getByRole('button', { name: /^Go to or do/ })
      const press = () => (size === 'phone' ? button.tap() : button.click())
      await press()
      await options(page).first().waitFor()
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.evaluate(endTransitions)
        expect.soft({ scheme, barriers: await barriers(page, scheme) }).toEqual({ scheme, barriers: [] })
      }
      expect(await overflow(page)).toEqual([])
      const shots = process.env['SIGNALBOX_SHOTS']
      if (shots) await page.screenshot({ path: `${shots}/palette-${size}.png` })
      const tower = options(page).filter({ hasText: 'water tower' })
      const { height } = (await tower.boundingBox()) ?? { height: 0 }
      expect(height).toBeGreaterThanOrEqual(size === 'phone' ? 44 : 36)
      await (size === 'phone' ? tower.tap() : tower.click())
      await page.waitForURL(`**/sessions/${session.id}`)
      expect(complaints).toEqual([])
    },
  )
})
