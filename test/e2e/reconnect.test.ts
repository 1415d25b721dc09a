import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, openResetProxy, type ResetProxy } from '../support/dashboard-reset-proxy.ts'
import { inSight, manyTimes, saidBy } from '../support/dashboard-state.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { openEvents } from '../support/sse.ts'
import { scale } from '../support/scale.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
type Inbox = { items: { key: string }[] }
const gapMs = scale({ test: 5_000, long: 60_000 })
const bar = 'Can’t reach the server.'
const log = '[role="log"]'

describe('a page that loses its connection', () => {
  let dashboard: Dashboard
  let line: ResetProxy
  beforeAll(async () => {
    dashboard = await openDashboard({ env: { SIGNALBOX_HTTP_PORT: `${await freePort()}` } })
    line = await openResetProxy(() => dashboard.server.address)
  })
  afterAll(async () => {
    await line?.[Symbol.asyncDispose]()
    await dashboard?.[Symbol.asyncDispose]()
  })

  const api = () => dashboard.server.api()
  const startSession = (prompt: string) =>
    api().post<Id>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: dashboard.repo.path,
      agent: 'porter',
      prompt,
    })
  const ask = ({ id }: Id, title: string, more: Record<string, unknown> = {}) =>
    api().post<Id>(`/api/sessions/${id}/asks`, {
      title,
      subject: { kind: 'command', command: `echo ${title}`, cwd: dashboard.repo.path },
      ...more,
    })
  const approve = ({ id }: Id) => api().post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  const say = ({ id }: Id, text: string) =>
    api().post(`/api/sessions/${id}/messages`, { role: 'agent', content: { type: 'text', text } })
  const inboxKeys = async () => (await api().get<Inbox>('/api/inbox')).items.map(({ key }) => key)
  const rowKeys = (page: Page) =>
    page.locator('[data-key]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))

  it(
    'A7 B1 matches one that never lost it, after 60 seconds and 500 missed events',
    { timeout: 240_000 },
    async (context) => {
      const session = await startSession('Sort the wagons')
      const standing = await ask(session, 'stays-open', { riskLevel: 'critical' })
      const decided = await ask(session, 'decided-meanwhile')
      const doomed = await manyTimes(10, (index) => ask(session, `doomed-${index}`))
      await manyTimes(5, (index) => say(session, `before ${index}`))
      const places = ['/', `/asks/${decided.id}`, `/sessions/${session.id}`, '/sessions']

      await using lost = await dashboard.open(context, { address: line.address })
      await using kept = await dashboard.open(context)
      const openAll = async ({ context: browser }: typeof lost, address: string) => {
        const pages: Page[] = []
        for (const place of places) {
          const page = await browser.newPage()
          await page.goto(`${address}${place}`)
          pages.push(page)
        }
        return pages
      }
      await lost.page.close()
      await kept.page.close()
      const pages = await openAll(lost, line.address)
      const witnesses = await openAll(kept, dashboard.server.address)
      const alike = async (index: number) => {
        const [page, witness] = [pages[index]!, witnesses[index]!]
        let both = ['', ' ']
        await until(
          async () => {
            both = [await saidBy(page), await saidBy(witness)]
            return both[0] === both[1] && both[0]!.length > 50
          },
          { what: `the same at ${places[index]}`, seconds: 30 },
        ).catch(() => undefined)
        expect(both[0], places[index]).toBe(both[1])
        return both[0]!
      }
      for (const index of places.keys()) await alike(index)
      // Each has received something by now, and so has a cursor.
      await ask(session, 'heard-before')
      for (const page of [...pages, ...witnesses])
        await page.getByRole('navigation', { name: 'Places' }).getByText('13').waitFor()

      await using heard = await openEvents(api())
      const began = Date.now()
      line.cut()
      await Promise.all(pages.map((page) => page.getByText(bar).waitFor()))

      const others = await manyTimes(20, (index) => startSession(`Meanwhile ${index}`))
      const asks = await manyTimes(120, (index) =>
        ask(index % 4 === 0 ? session : others[index % 20]!, `asked ${index}`),
      )
      await manyTimes(90, (index) => approve(asks[index]!))
      await Promise.all([...doomed, decided].map(approve))
      await manyTimes(260, (index) => say(session, `meanwhile ${index}`))
      await until(() => heard.heard.length >= 500, { what: '500 events' })
      expect(await pages[0]!.getByText(bar).isVisible()).toBe(true)
      await until(() => Date.now() - began >= gapMs, { what: 'the end of the gap', seconds: gapMs / 1000 + 1 })
      line.mend()

      await Promise.all(pages.map((page) => page.getByText(bar).waitFor({ state: 'detached' })))
      expect(await alike(0)).toContain('stays-open')
      const keys = await inboxKeys()
      expect(keys).toHaveLength(32)
      expect(keys).toContain(`ask:${standing.id}`)
      // An answered item stays for a moment, to say who answered.
      await until(async () => (await rowKeys(pages[0]!)).length === keys.length, { what: 'what was answered gone' })
      expect(await rowKeys(pages[0]!)).toEqual(keys)
      expect(await alike(1)).toMatch(/approved/i)
      expect(await alike(3)).toContain('Meanwhile 19')

      const [page, witness] = [pages[2]!, witnesses[2]!]
      expect(await inSight(page, log)).toEqual(await inSight(witness, log))
      expect((await inSight(page, log)).length).toBeGreaterThan(0)
      // After its absence it has read the newest; older messages are read on demand.
      for (const one of [page, witness]) await toBeginning(one)
      const told = await alike(2)
      expect(told).toContain('before 0')
      for (const index of [0, 130, 259]) expect(told).toContain(`meanwhile ${index}\n`)

      // And it receives events again.
      await ask(session, 'asked-afterwards')
      await pages[0]!.getByText('asked-afterwards').first().waitFor()
      await alike(0)
      expect(lost.complaints.filter((text) => !/ERR_CONNECTION|ERR_EMPTY|Failed to fetch/.test(text))).toEqual([])
    },
  )

  async function toBeginning(page: Page): Promise<void> {
    await page.bringToFront()
    const older = page.getByRole('button', { name: /^Load(?:ing)? older/ })
    await until(
      async () => {
        if ((await older.count()) === 0) return true
        await older.dispatchEvent('click', {}, { timeout: 1000 }).catch(() => undefined)
        return false
      },
      { what: 'the beginning of the conversation', seconds: 30 },
    )
  }

  it('A7 B1 a view opened for the first time without the server says so, and opens once it is back', async (context) => {
    await using opened = await dashboard.open(context, { address: line.address })
    const { page } = opened
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    line.cut()
    await page.getByText(bar).waitFor()
    await page.evaluate(() => history.pushState({}, '', '/settings'))
    const main = page.locator('main')
    await main.getByRole('heading', { name: 'Can’t reach the server' }).waitFor()
    expect(await main.innerText()).not.toContain('updated')
    line.mend()
    await main.getByRole('heading', { name: 'All settings' }).waitFor()
  })

  it('A7 C1 reconnects automatically when the server is killed and comes back', async (context) => {
    const session = await startSession('Hold the line')
    const before = await ask(session, 'asked-before')
    await using opened = await dashboard.open(context, { path: `/asks/${before.id}` })
    const { page } = opened
    await page.getByRole('heading', { name: 'asked-before' }).waitFor()
    await dashboard.server.kill('SIGKILL')
    await page.getByText(bar).waitFor()
    await dashboard.server.restart()
    const after = await ask(session, 'asked-after')
    await page.getByText(bar).waitFor({ state: 'detached' })
    await page.locator(`[data-key="ask:${after.id}"]`).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await until(async () => (await api().get<{ status: string }>(`/api/asks/${before.id}`)).status === 'answered')
    await page.locator(`[data-key="ask:${before.id}"]`).waitFor({ state: 'detached' })
    expect(await page.locator(`[data-key="ask:${after.id}"]`).count()).toBe(1)
  })
})
