import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SIGNALBOX_PICTURES']

describe('budgets in the overview', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for(['desktop', 'phone'] as const)('B6 set, used up, answered and removed on a %s', async (size, context) => {
    // What was spent on a desktop counts too: it is the same day.
    const limit = size === 'desktop' ? 1.5 : 3.5
    await using opened = await dashboard.open(context, {
      path: '/overview',
      size,
      context: { reducedMotion: 'reduce' },
    })
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'New budget' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('For').selectOption({ label: 'Repo depot' })
    const cost = dialog.getByLabel('Cost in US dollars')
    await cost.fill('a lot')
    await dialog.getByText('Enter an amount').waitFor()
    await cost.fill(String(limit))
    if (pictures) await page.screenshot({ path: join(pictures, `${size}-budget-form.png`) })
    await cost.press('Enter')
    const row = page.getByRole('list', { name: 'Budgets' }).getByRole('listitem').filter({ hasText: 'Repo depot' })
    await row.getByText(`of $${limit.toFixed(2)}`).waitFor()
    const { id } = await dashboard.start('/usage 100 2')
    await row.getByText('used up', { exact: true }).waitFor()
    if (pictures) await page.screenshot({ path: join(pictures, `${size}-budgets.png`), fullPage: true })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.evaluate(endTransitions)
      expect.soft({ scheme, barriers: await barriers(page, scheme) }).toEqual({ scheme, barriers: [] })
    }
    expect(await overflow(page)).toEqual([])
    await row.getByRole('link', { name: 'Answer' }).click()
    await page
      .getByText(/Budget of the repo depot used up/)
      .first()
      .waitFor()
    await page
      .getByRole('button', { name: /^Continue/ })
      .first()
      .click()
    const statusOf = async () => (await dashboard.owner.get<{ status: string }>(`/api/sessions/${id}`)).status
    await until(async () => (await statusOf()) === 'active', { what: 'the session at work again' })
    await page.goto(`${dashboard.server.address}/overview`)
    await row.getByText(`of $${(2 * limit).toFixed(2)}`).waitFor()
    await row.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})
