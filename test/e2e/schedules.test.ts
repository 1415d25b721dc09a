import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const sizes: readonly Size[] = ['desktop', 'phone']
const berlin = { timezoneId: 'Europe/Berlin' }

describe('schedules in the dashboard', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const main = (page: Page) => page.locator('main')

  it.for(sizes)('C8 on a %s: make one, run it, pause, change and remove it', async (size, context) => {
    await using opened = await dashboard.open(context, { size, path: '/schedules/new', context: berlin })
    const { page } = opened
    await page.getByLabel('What should it do?').fill('/say All signals are green.')
    await page.getByLabel('Name (optional)').fill(`Round on a ${size}`)
    await page.getByLabel('Cron line').fill('0 0 30 2 *')
    await page.getByLabel('Runs in').selectOption({ label: 'depot' })
    await page.getByLabel('Agent', { exact: true }).selectOption('practice')
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await main(page).getByText('This cron line never runs').waitFor()
    await page.getByLabel('Cron line').fill('30 6 * * *')
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await main(page).getByText('Next runs').waitFor()
    // Shown in the time zone of the viewer, which the schedule took over.
    expect(await main(page).innerText()).toMatch(/6:30/)
    await main(page).getByRole('button', { name: 'Run now' }).click()
    await main(page).getByRole('list', { name: 'Runs' }).getByText('completed').waitFor()
    await main(page).getByRole('button', { name: 'Pause' }).click()
    await main(page).getByRole('button', { name: 'Resume' }).waitFor()
    expect(await main(page).innerText()).toContain('None')
    await main(page).getByRole('button', { name: 'Resume' }).click()
    await main(page).getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByLabel('When').selectOption('every')
    await page.getByLabel('Every', { exact: true }).fill('2h')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await main(page).getByText('every 2 hours').waitFor()
    await page.goto(`${dashboard.server.address}/schedules`)
    await main(page).getByText(`Round on a ${size}`).waitFor()
    await main(page)
      .getByRole('link', { name: `Round on a ${size}` })
      .click()
    await main(page).getByRole('button', { name: 'Remove this schedule' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await until(async () => !(await main(page).innerText()).includes(`Round on a ${size}`), { what: 'its end' })
    expect(new URL(page.url()).pathname).toBe('/schedules')
  })
})
