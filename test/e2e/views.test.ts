import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paths, type ViewName } from '../../web/app/paths.ts'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { eventful, makeVisits, shownIn, type Visits } from '../support/dashboard-visits.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { long, scale } from '../support/scale.ts'
import { until } from '../support/until.ts'

const sizes: readonly Size[] = ['desktop', 'phone']
/** The colours are the same at every size. */
const schemes = (size: Size) => (size === 'desktop' || long ? (['light', 'dark'] as const) : (['light'] as const))
const views = Object.keys(paths) as ViewName[]
/** The heading for a missing item, by the beginning of the address. */
const gone: Readonly<Record<string, string>> = {
  '/asks/': 'Ask not found',
  '/alerts/': 'Alert not found',
  '/sessions/': 'Session not found',
  '/terminals/': 'Terminal not found',
  '/schedules/': 'Schedule not found',
  '/chat/': 'Agent not found',
  '/settings/agents/': 'Agent not found',
  '/settings/people/': 'Person not found',
  '/settings/chats/instances/': 'Chat account not found',
  '/settings/chats/groups/': 'Agent group not found',
  '/settings/chats/': 'Chat not found',
}
const nobody = '00000000-0000-4000-8000-000000000000'

describe('every view of the dashboard', () => {
  let dashboard: Dashboard
  let visits: Visits
  beforeAll(async () => {
    dashboard = await openDashboard(eventful)
    visits = await makeVisits(dashboard)
  })
  afterAll(async () => {
    await visits?.[Symbol.asyncDispose]()
    await dashboard?.[Symbol.asyncDispose]()
  })

  const main = (page: Page) => page.locator('main')
  /** Like a link: without a reload. */
  const goTo = (page: Page, path: string) => page.evaluate((to) => history.pushState({}, '', to), path)
  const headOf = async (page: Page) => ({
    title: (await page.title()).replace(/^\(\d+\) /, ''),
    heading: await main(page).getByRole('heading', { level: 1 }).first().innerText(),
    path: await page.evaluate(() => location.pathname + location.search),
  })

  it.for(sizes)(
    'B1 on a %s: no serious accessibility issue, nothing cut off, no console errors',
    { timeout: 240_000 },
    async (size, context) => {
      await using opened = await dashboard.open(context, { size, context: { reducedMotion: 'reduce' } })
      const { page, complaints } = opened
      for (const [view, visit] of Object.entries({ ...visits.of, ...visits.also })) {
        await goTo(page, visit.path)
        await shownIn(page, view, visit)
        expect.soft({ view, wide: await overflow(page) }).toEqual({ view, wide: [] })
        for (const scheme of schemes(size)) {
          await page.emulateMedia({ colorScheme: scheme })
          await page.evaluate(endTransitions)
          expect.soft({ view, scheme, barriers: await barriers(page, scheme) }).toEqual({ view, scheme, barriers: [] })
        }
        expect.soft({ view, complaints: complaints.splice(0) }).toEqual({ view, complaints: [] })
        expect
          .soft({ view, heads: await main(page).getByRole('heading', { level: 1 }).count() })
          .toEqual({ view, heads: 1 })
      }
    },
  )

  it.for(scale({ test: ['phone'], long: sizes } as const))(
    'B1 on a %s: a view reloaded at its address is the same view',
    async (size, context) => {
      await using opened = await dashboard.open(context, { size })
      const { page, complaints } = opened
      for (const view of views) {
        const visit = visits.of[view]
        await goTo(page, visit.path)
        await shownIn(page, view, visit)
        const before = await headOf(page)
        await page.reload()
        await shownIn(page, view, visit)
        expect.soft({ view, ...(await headOf(page)) }).toEqual({ view, ...before })
        expect.soft(before, view).toMatchObject({ path: visit.path, title: expect.stringMatching(/\S.* · Signalbox$/) })
      }
      expect(complaints).toEqual([])
    },
  )

  it('B1 signed-out visitors get the sign-in page at every address', async () => {
    const guest = dashboard.server.tcp({ accept: 'text/html' })
    for (const view of views) {
      const reply = await guest.send('GET', visits.of[view].path)
      expect.soft({ view, status: reply.status }).toEqual({ view, status: view === 'inbox' ? 200 : 401 })
      expect.soft(reply.text, view).toContain('signalbox login')
      expect.soft(reply.text, view).not.toContain('id="root"')
    }
  })

  it.for(sizes)('B1 on a %s: a missing item is reported as gone, with a way on', async (size, context) => {
    await using opened = await dashboard.open(context, { size })
    const { page, complaints } = opened
    const named = views.filter((view) => paths[view].includes('$id'))
    for (const id of [nobody, 'no-such-thing'])
      for (const path of named.map((view) => paths[view].replace('$id', id))) {
        await goTo(page, path)
        const start = Object.keys(gone).find((one) => path.startsWith(one)) ?? ''
        const words = gone[start] ?? `words for what is gone from ${path}`
        await main(page).getByRole('heading', { name: words }).waitFor({ timeout: 15_000 })
        // If the stream opens late, the item is read again, and for a moment there is neither.
        const way = main(page).getByRole('link', { name: /^Go to the|^All / })
        await until(async () => (await way.count()) === 1, { what: `one way on from ${path}` })
      }
    await goTo(page, '/no/such/view')
    await main(page).getByRole('heading', { name: 'Page not found' }).waitFor()
    // Chromium logs each unsuccessful response.
    expect(complaints.filter((complaint) => !/status of 40[04]/.test(complaint))).toEqual([])
  })
})
