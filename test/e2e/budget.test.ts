import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtScripts, builtText, gzippedSize } from '../support/dashboard-build.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'

const budget = 250_000
/** Parts by their names: diffs with their colours, and terminals. */
const heavy = ['diff-view', 'edits-diff', 'highlight-worker', 'terminal-view'] as const
const sizes: readonly Size[] = ['desktop', 'phone']

describe('what a browser loads', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  /** The scripts a fresh browser requests until the page shows this. */
  async function loadedUntil(page: Page, shown: Locator): Promise<string[]> {
    const scripts = new Set<string>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.endsWith('.js') && response.ok()) scripts.add(pathname.slice(1))
    })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.reload()
    await shown.waitFor()
    return [...scripts]
  }
  const sizeOf = (scripts: readonly string[]) =>
    Object.fromEntries(
      scripts.map((name) => [name, gzippedSize(name)]).toSorted(([, a], [, b]) => Number(b) - Number(a)),
    )
  const total = (scripts: readonly string[]) => scripts.reduce((sum, name) => sum + gzippedSize(name), 0)
  const partsIn = (scripts: readonly string[]) =>
    heavy.filter((part) => scripts.some((name) => name.startsWith(`assets/${part}-`)))

  it.for(sizes)('B1 the inbox on a %s needs at most 250 KB of script, gzipped', async (size, context) => {
    const session = await dashboard.start(`/write budget-${size}.txt Small`)
    await dashboard.asks(session.id)
    // On a desktop the first item is open beside the list, so this uses a person with an empty inbox.
    const { id: userId } = await dashboard.owner.post<{ id: string }>('/api/users', { displayName: `On a ${size}` })
    const who = size === 'desktop' ? { userId } : {}
    await using opened = await dashboard.open(context, { size, ...who, context: { serviceWorkers: 'block' } })
    const { page } = opened
    const listed = page.getByRole('link', { name: `Write budget-${size}.txt` })
    const scripts = await loadedUntil(page, size === 'desktop' ? page.getByText('Nothing is waiting for you') : listed)
    expect(scripts.length).toBeGreaterThan(1)
    expect(total(scripts), JSON.stringify(sizeOf(scripts))).toBeLessThanOrEqual(budget)
    expect(partsIn(builtScripts())).toEqual(heavy)
    expect(partsIn(scripts)).toEqual([])
  })

  it('B1 no part of the dashboard includes the server’s validation', () => {
    const scripts = builtScripts()
    expect(scripts.length).toBeGreaterThan(20)
    const zod = /ZodError|\$ZodType|_zod\b|invalid_union|unrecognized_keys/
    expect(scripts.filter((name) => zod.test(builtText(name)))).toEqual([])
  })
})
