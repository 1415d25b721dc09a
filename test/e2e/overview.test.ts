import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { press } from '../support/dashboard-keys.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'

describe('the overview page', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
    await dashboard.start('/say Paint the water tower')
    const { id } = await dashboard.start('/write turntable.txt By hand')
    const ask = await dashboard.asks(id)
    await dashboard.owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'reject', reason: null })
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for(['desktop', 'phone'] as const)(
    'B19 on a %s: charts with the figures behind them, by day and by agent, and a CSV file',
    async (size, context) => {
      await using opened = await dashboard.open(context, { size, context: { reducedMotion: 'reduce' } })
      const { page, complaints } = opened
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await press(page, 'g', 'o')
      await page.waitForURL('**/overview')
      const row = (name: RegExp) => page.getByRole('row', { name })
      await page.getByRole('img', { name: /^Sessions: most 2, 20/ }).waitFor()
      expect(await row(/^Together/).innerText()).toMatch(/^Together\s+2\s+\$0\.01\s+1\s+1\s+0\s/)
      const shots = process.env['SIGNALBOX_SHOTS']
      if (shots) await page.screenshot({ path: `${shots}/overview-day-${size}.png`, fullPage: true })
      await page.getByLabel('By', { exact: true }).selectOption('agent')
      await page.getByRole('img', { name: /^Sessions: most 2, practice/ }).waitFor()
      await row(/^practice/).waitFor()
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.evaluate(endTransitions)
        expect.soft({ scheme, barriers: await barriers(page, scheme) }).toEqual({ scheme, barriers: [] })
      }
      expect(await overflow(page)).toEqual([])
      if (shots) await page.screenshot({ path: `${shots}/overview-agent-${size}.png`, fullPage: true })
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const text = await readFile(await (await saved).path(), 'utf8')
      expect(text).toMatch(/^key,label,sessions,[^]*\r\npractice,practice,2,0\.0\d*,1,1,0,\d+\r\n$/)
      expect(complaints).toEqual([])
    },
  )
})
