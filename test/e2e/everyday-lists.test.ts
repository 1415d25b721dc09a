import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manyTimes } from '../support/dashboard-state.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }

describe('lists of the dashboard, every day', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
    await manyTimes(40, (index) => connected(`Shunt wagon ${index} to the far siding`))
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const connected = (prompt: string) =>
    dashboard.owner.post<Id>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: dashboard.repo.path,
      agent: 'porter',
      prompt,
    })

  let asks: Promise<Id[]> | null = null
  const openAsks = () =>
    (asks ??= connected('Make all parts').then(async ({ id }) => {
      const made: Id[] = []
      for (let index = 0; index < 40; index += 1)
        made.push(
          await dashboard.owner.post<Id>(`/api/sessions/${id}/asks`, {
            title: `Make part ${index}`,
            subject: { kind: 'command', command: `make part-${index}`, cwd: dashboard.repo.path },
          }),
        )
      return made
    }))

  it('B1 the sessions list shows its titles at every width', async (context) => {
    await using opened = await dashboard.open(context, { path: '/sessions' })
    const { page, complaints } = opened
    for (const width of [390, 768, 800, 850, 900, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const title = page.getByText('Shunt wagon 39 to the far siding')
      await until(async () => ((await title.boundingBox())?.width ?? 0) > 150, { what: `a title at ${width} px` })
      expect.soft({ width, overlap: await overlaps(page) }).toEqual({ width, overlap: [] })
      const filter = await page.getByLabel('Status', { exact: true }).boundingBox()
      // On a phone they are folded.
      expect.soft({ width, room: width < 768 || filter!.width > 90 }).toEqual({ width, room: true })
    }
    expect(complaints).toEqual([])
  })

  it('B12 the sessions list is grouped by day or project, and filtered by date', async (context) => {
    await using opened = await dashboard.open(context, { path: '/sessions' })
    const { page, complaints } = opened
    const list = page.getByRole('list', { name: 'Sessions' })
    await list.getByRole('heading', { name: 'Today' }).waitFor()
    await page.getByLabel('Group by').selectOption('By project')
    await list.getByRole('heading', { name: 'depot' }).waitFor()
    await page.reload()
    await list.getByRole('heading', { name: 'depot' }).waitFor()
    await page.getByLabel('Group by').selectOption('Not grouped')
    await list.getByText('Shunt wagon 39').waitFor()
    expect(await list.getByRole('heading').count()).toBe(0)
    await page.getByLabel('When').selectOption('Yesterday')
    await page.getByText('No matching sessions').waitFor()
    await page.getByLabel('When').selectOption('On a day…')
    const today = await page.evaluate(() => new Date().toLocaleDateString('sv'))
    await page.getByLabel('Day', { exact: true }).fill(today)
    await list.getByText('Shunt wagon 39').waitFor()
    expect(new URL(page.url()).searchParams.get('when')).toContain(today)
    expect(complaints).toEqual([])
  })

  it.for(['/', '/sessions'])('B1 j and k keep the selected row of %s in sight', async (path, context) => {
    await openAsks()
    await using opened = await dashboard.open(context, { path })
    const { page, complaints } = opened
    const rows = page.locator(path === '/' ? '[data-key]' : '[data-row]')
    await until(async () => (await rows.count()) > 20, { what: 'the rows' })
    await page.keyboard.press('j')
    for (let step = 0; step < 25; step += 1) await page.keyboard.press('j')
    const below = await staysInSight(page)
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('k')
    expect({ below, above: await staysInSight(page) }).toEqual({ below: 'in sight', above: 'in sight' })
    expect(complaints).toEqual([])
  })

  it('B1 a deep link selects a row in sight, also after a reload and on the way back', async (context) => {
    const asks = await openAsks()
    // The most urgent come first, then the oldest.
    const last = asks.at(-1)!.id
    await using opened = await dashboard.open(context, { path: `/asks/${last}` })
    const { page, complaints } = opened
    const title = page.getByRole('heading', { name: 'Make part 39' })
    await title.waitFor()
    expect(await staysInSight(page)).toBe('in sight')
    await page.reload()
    await title.waitFor()
    expect(await staysInSight(page)).toBe('in sight')
    await page.evaluate(() => history.pushState({}, '', '/settings'))
    await page.getByRole('heading', { name: 'All settings' }).waitFor()
    await page.goBack()
    await title.waitFor()
    expect(await staysInSight(page)).toBe('in sight')
    expect(complaints).toEqual([])
  })

  it('B1 search hits name their session, and say how many are listed', async (context) => {
    const { id } = await connected('Visit the **quarry** today')
    await manyTimes(60, (index) =>
      dashboard.owner.post(`/api/sessions/${id}/messages`, {
        role: 'agent',
        content: { type: 'text', text: `Stone ${index} is loaded` },
      }),
    )
    await using opened = await dashboard.open(context, { path: '/search?q=stone' })
    const { page, complaints } = opened
    const hits = page.getByRole('region', { name: 'Conversations' })
    await hits.getByText('the newest 50').waitFor()
    expect(await hits.getByRole('listitem').count()).toBe(50)
    expect(await hits.getByRole('link', { name: /Visit the .*quarry.* today/ }).count()).toBe(50)
    await hits.getByRole('button', { name: 'Show more' }).click()
    await until(async () => (await hits.getByRole('listitem').count()) === 60, { what: 'all hits' })
    expect(await hits.getByRole('status').innerText()).toBe('60')
    expect(complaints).toEqual([])
  })
})

/** Where the selected row is, once that has not changed for half a second. */
const staysInSight = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const look = (): string => {
      const row =
        document.querySelector('[data-key]:has([aria-current])') ??
        document.querySelector('[data-row].bg-accent-soft\\!')
      if (!row) return 'no row is selected'
      const { top, bottom, left } = row.getBoundingClientRect()
      if (top < 0 || bottom > innerHeight) return `from ${Math.round(top)} to ${Math.round(bottom)} of ${innerHeight}`
      const seen = [top + 4, bottom - 4].every((y) => row.contains(document.elementFromPoint(left + 40, y)))
      return seen ? 'in sight' : 'covered'
    }
    for (let began = performance.now(), before = look(); ;) {
      await new Promise(requestAnimationFrame)
      const now = look()
      if (now !== before) [began, before] = [performance.now(), now]
      if (performance.now() - began > 500) return now
    }
  })

/** Texts of the first row that lie over each other. */
const overlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const row = document.querySelector('[data-row]')
    const walker = document.createTreeWalker(row!, NodeFilter.SHOW_TEXT)
    const boxes: { text: string; box: DOMRect }[] = []
    while (walker.nextNode()) {
      const range = document.createRange()
      range.selectNodeContents(walker.currentNode)
      const box = range.getBoundingClientRect()
      if (box.width > 1) boxes.push({ text: walker.currentNode.textContent ?? '', box })
    }
    return boxes.flatMap(({ text, box }, index) =>
      boxes.slice(index + 1).flatMap(({ text: other, box: there }) => {
        const wide = Math.min(box.right, there.right) - Math.max(box.left, there.left)
        const high = Math.min(box.bottom, there.bottom) - Math.max(box.top, there.top)
        return wide > 2 && high > 4 ? [`${text} / ${other}`] : []
      }),
    )
  })
