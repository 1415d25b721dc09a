import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overflow } from '../support/dashboard-barriers.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { newToken } from '../conformance/work.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
type Config = { isolation: string | null; model: string | null; budget: { costUsd: number } | null }

const sizes: readonly Size[] = ['desktop', 'phone']

describe('agent groups in the dashboard', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for(sizes)(
    'C1 on a %s: a first group in three steps, then how it runs and what it is told',
    async (size, context) => {
      await using opened = await dashboard.open(context, { size, path: '/settings/chats/groups' })
      const { page } = opened
      await page.getByRole('button', { name: 'New agent group' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(`Signalmen on a ${size}`)
      await dialog.getByLabel('Agent').selectOption('practice')
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByLabel('Runs').selectOption('sandbox')
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByRole('checkbox').first().check()
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('heading', { name: `Signalmen on a ${size}` }).waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1)!
      const config = () => dashboard.owner.get<Config>(`/api/agent-groups/${id}/config`)
      expect((await config()).isolation).toBe('sandbox')
      expect(await dashboard.owner.list<Id>(`/api/agent-groups/${id}/members`)).toHaveLength(1)
      const main = page.locator('main')
      await main.getByText('In a sandbox', { exact: true }).first().waitFor()
      await main.getByLabel('Effort').fill('high')
      await main.getByLabel('Budget in US dollars').fill('25')
      await main.locator('form').last().getByRole('button', { name: 'Save' }).click()
      await until(async () => (await config()).budget?.costUsd === 25, { what: 'the budget' })
      await main.getByText('$0.00 of $25.00 this month').waitFor()
      await main.getByLabel('Instructions').fill('Be brief.')
      await main.getByRole('button', { name: 'Save' }).first().click()
      const told = async () =>
        (await dashboard.owner.get<{ text: string }>(`/api/agent-groups/${id}/instructions`)).text
      await until(async () => (await told()) === 'Be brief.', { what: 'the instructions' })
      const session = await dashboard.owner.post<Id>('/api/sessions', { agentGroupId: id, prompt: '/say All clear' })
      await main.getByRole('list', { name: 'Sessions' }).getByRole('link').first().waitFor()
      const agent = await newToken(dashboard.owner, { name: 'its agent', scope: 'agent', sessionId: session.id })
      const wish = { kind: 'create_agent', name: `Scout on a ${size}`, instructions: 'Look.', reason: null }
      await dashboard.server
        .api(agent.token)
        .post(`/api/sessions/${session.id}/asks`, { title: 'A scout?', subject: wish })
      await main.getByRole('list', { name: 'Asks' }).getByText('A scout?').waitFor()
      await main.getByRole('link', { name: 'New schedule' }).click()
      await page.waitForURL(/schedules.new/)
      await main.getByLabel('What should it do?').fill('/say By the clock')
      const at = page.getByLabel('Runs in')
      await until(async () => (await at.inputValue()) === id, { what: 'the group as the place' })
      await page.getByRole('button', { name: 'Create schedule' }).click()
      await page.waitForURL(/\/schedules\/[0-9a-f-]{36}$/)
      await page.goto(`${dashboard.server.address}/settings/chats/groups/${id}`)
      await main.getByRole('list', { name: 'Schedules' }).getByText('0 9 * * 1-5').waitFor()
      await main.getByRole('button', { name: 'Remove this agent group' }).click()
      await page.getByText(/1 member and 1 running session depend on it/).waitFor()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await until(() => page.url().endsWith('/settings/chats/groups'), { what: 'the list' })
      await dashboard.owner.delete(`/api/sessions/${session.id}`)
    },
  )

  it.for([390, 768, 1024, 1440])('C1 the pages of groups fit on %d pixels', async (width, context) => {
    const words = 'A name as long as people give to groups when they have many of them'
    const group = await dashboard.owner.post<Id>('/api/agent-groups', {
      name: `${words} ${width}`,
      agent: 'practice',
      config: {
        isolation: 'sandbox',
        packagesApt: Array.from({ length: 12 }, (_, n) => `package-with-a-long-name-${n}`),
        mcpServers: { docs: { url: 'https://docs.example.com/mcp' }, tools: { command: 'tools' } },
        budget: { costUsd: 25 },
      },
    })
    const prompt = '/say All clear on the line between the two signal boxes'
    const sessions = await Promise.all(
      [1, 2].map(() => dashboard.owner.post<Id>('/api/sessions', { agentGroupId: group.id, prompt })),
    )
    const agent = await newToken(dashboard.owner, { name: 'its agent', scope: 'agent', sessionId: sessions[0]!.id })
    const wish = { kind: 'create_agent', name: `Scout ${width}`, instructions: 'Look.', reason: null }
    const asked = { title: 'May I have a scout?', subject: wish }
    await dashboard.server.api(agent.token).post(`/api/sessions/${sessions[0]!.id}/asks`, asked)
    const path = '/settings/chats/groups'
    const viewport = { width, height: 900 }
    await using opened = await dashboard.open(context, { path, context: { viewport, reducedMotion: 'reduce' } })
    const { page, complaints } = opened
    const main = page.locator('main')
    const shown = async (name: string) => {
      expect.soft({ name, overflow: await overflow(page) }).toEqual({ name, overflow: [] })
      const shots = process.env['SIGNALBOX_SHOTS']
      if (shots) await page.screenshot({ path: `${shots}/groups-${name}-${width}.png`, fullPage: true })
    }
    await main.getByRole('link', { name: `${words} ${width}` }).waitFor()
    await shown('list')
    await page.getByRole('button', { name: 'New agent group' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await shown('new')
    await page.goto(`${dashboard.server.address}${path}/${group.id}`)
    await main.getByRole('list', { name: 'Asks' }).getByText('May I have a scout?').waitFor()
    await main.getByText('docs, tools').waitFor()
    await shown('page')
    expect(complaints).toEqual([])
    for (const { id } of sessions) await dashboard.owner.delete(`/api/sessions/${id}`)
  })
})
