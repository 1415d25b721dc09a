import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions } from '../support/dashboard-barriers.ts'
import { layoutOf } from '../support/dashboard-layout.ts'
import { eventful, makeVisits, shownIn, type Visits } from '../support/dashboard-visits.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'

/** Pictures of every view, to look at: `SIGNALBOX_PICTURES=folder npm test -- test/e2e/layout.test.ts`. */
const pictures = process.env['SIGNALBOX_PICTURES']
const devices: readonly { size: Size; widths: readonly number[] }[] = [
  { size: 'phone', widths: [390] },
  { size: 'desktop', widths: [768, 1024, 1440] },
]
const schemes = ['light', 'dark'] as const
const height = 900

describe('the layout of every view', () => {
  let dashboard: Dashboard
  let visits: Visits
  /** What was seen: view, then width. */
  const seen = new Map<string, Map<number, readonly string[]>>()
  beforeAll(async () => {
    dashboard = await openDashboard(eventful)
    visits = await makeVisits(dashboard)
  })
  afterAll(async () => {
    await visits?.[Symbol.asyncDispose]()
    await dashboard?.[Symbol.asyncDispose]()
  })

  const look = async (page: Page, view: string, width: number) => {
    for (const scheme of schemes) {
      if (scheme === 'dark' && !long && !pictures) continue
      await page.emulateMedia({ colorScheme: scheme })
      await page.evaluate(endTransitions)
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        const name = `${view.replaceAll(/\W+/g, '-')}-${width}-${scheme}.png`
        await page.screenshot({ path: join(pictures, name), fullPage: true })
      }
      if (long)
        expect.soft({ view, width, scheme, barriers: await barriers(page, scheme) }).toMatchObject({ barriers: [] })
    }
  }

  for (const { size, widths } of devices)
    it(
      `B1 at ${widths.join(', ')} pixels no text is cut, nothing overlaps and nothing scrolls sideways`,
      { timeout: long ? 1_800_000 : 300_000 },
      async (context) => {
        await using opened = await dashboard.open(context, { size, context: { reducedMotion: 'reduce' } })
        const { page } = opened
        for (const [view, visit] of Object.entries({ ...visits.of, ...visits.also })) {
          await page.evaluate((to) => history.pushState({}, '', to), visit.path)
          const found = seen.get(view) ?? new Map<number, readonly string[]>()
          seen.set(view, found)
          for (const width of widths) {
            await page.setViewportSize({ width, height: size === 'phone' ? 844 : height })
            await shownIn(page, view, visit)
            // It comes to rest once late data and sizes are in.
            let last = ''
            const rested = await until(
              async () => {
                const told = await layoutOf(page)
                const isSame = JSON.stringify(told) === last
                last = JSON.stringify(told)
                return isSame ? told : null
              },
              { what: `${view} at rest` },
            )
            expect.soft({ view, width, faults: rested.faults }).toEqual({ view, width, faults: [] })
            found.set(width, rested.blocks)
            await look(page, view, width)
          }
        }
      },
    )

  it('B1 the blocks of every view are where they were when the layout was last reviewed', async () => {
    const lines = [...seen].map(([view, widths]) =>
      [view, ...[...widths].map(([width, blocks]) => `  ${width}: ${blocks.join(', ')}`)].join('\n'),
    )
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./layout.txt')
  })
})
