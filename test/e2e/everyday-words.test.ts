import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventful } from '../support/dashboard-visits.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/

describe('words of the dashboard, every day', () => {
  let dashboard: Dashboard
  let memberId = ''
  beforeAll(async () => {
    dashboard = await openDashboard(eventful)
    memberId = (await dashboard.owner.post<Id>('/api/users', { displayName: 'Mel Member' })).id
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const main = (page: Page) => page.locator('main')

  it('R4 an alert names its session, and its time goes on', async (context) => {
    const { id } = await dashboard.start('/stall forever')
    const alert = await until(
      async () => {
        const { alerts } = await dashboard.owner.get<{ alerts: (Id & { sessionId: string })[] }>('/api/alerts')
        return alerts.find(({ sessionId }) => sessionId === id)
      },
      { what: 'an alert', seconds: 30 },
    )
    await using opened = await dashboard.open(context, { path: `/alerts/${alert.id}` })
    const { page, complaints } = opened
    const row = page.locator(`[data-key="alert:${alert.id}"]`)
    await row.getByText('/stall forever').waitFor()
    const seconds = async () =>
      Number(/No activity for (\d+) s/.exec(await page.getByRole('article').innerText())?.[1] ?? 0)
    const first = await until(seconds, { what: 'the time' })
    await until(async () => (await seconds()) > first, { what: 'a later time', seconds: 20 })
    expect(await page.title()).toContain('/stall forever')
    expect(await page.getByRole('article').innerText()).not.toMatch(/\d{4}-\d\d-\d\dT/)
    expect(complaints).toEqual([])
  })

  it('B1 lists show words: no marks of Markdown, no raw ids', async (context) => {
    const { id } = await dashboard.owner.post<Id>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: dashboard.repo.path,
      prompt: 'Visit the **quarry** with `maps`',
    })
    await dashboard.owner.post(`/api/sessions/${id}/asks`, {
      title: 'May **I** go?',
      subject: { kind: 'question', question: 'May **I** go?', options: [], freeText: true },
    })
    await dashboard.start('/say Hello')
    await using opened = await dashboard.open(context, { path: '/sessions' })
    const { page, complaints } = opened
    await main(page).getByText('Visit the quarry with maps').first().waitFor()
    await page.goto(`${dashboard.server.address}/`)
    await page.locator('[data-key]').getByText('May I go?').first().waitFor()
    await page.goto(`${dashboard.server.address}/search?q=quarry`)
    await main(page).getByText('Visit the quarry with maps').first().waitFor()
    expect(await main(page).innerText()).not.toContain('**')
    await page.goto(`${dashboard.server.address}/settings/audit`)
    await main(page).getByText('started the session').first().waitFor()
    expect(await main(page).getByRole('list').innerText()).not.toMatch(uuid)
    await page.goto(`${dashboard.server.address}/settings/tokens`)
    await main(page).getByText('Agent of “/say Hello”').first().waitFor()
    expect(await main(page).innerText()).not.toMatch(/session [\da-f]{8}/)
    expect(complaints).toEqual([])
  })

  it('B1 what a member has no right to is said in the same words on every page', async (context) => {
    const { id } = await dashboard.start('/say Mine')
    await using opened = await dashboard.open(context, { userId: memberId })
    const { page } = opened
    const goTo = (path: string) => page.evaluate((to) => history.pushState({}, '', to), path)
    const pages = {
      People: 'people',
      'Chat accounts': 'chats/instances',
      'New chat account': 'chats/instances/new',
      'Not sent': 'chats/not-sent',
    }
    for (const [title, path] of Object.entries(pages)) {
      await goTo(`/settings/${path}`)
      // The page before may be shown for another moment.
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
      await main(page).getByRole('heading', { name: 'No access' }).waitFor()
      await main(page).getByText('This page needs the admin role. An owner can grant it.').waitFor()
    }
    await goTo('/settings/system')
    await main(page).getByText('Checking the server needs the admin role. An owner can grant it.').waitFor()
    await goTo('/terminals')
    await main(page).getByText('needs the machine right. An owner can grant it.').waitFor()
    await goTo('/chat')
    await main(page).getByText('is for members of an agent group. An admin can add you.').waitFor()
    await goTo(`/welcome?session=${id}`)
    await main(page).getByRole('heading', { name: 'Session not found' }).waitFor()
    expect(await main(page).innerText()).not.toMatch(uuid)
  })
})
