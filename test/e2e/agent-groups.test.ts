import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
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
      expect(await dashboard.owner.get<Id[]>(`/api/agent-groups/${id}/members`)).toHaveLength(1)
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
      await main.getByRole('button', { name: 'Remove this agent group' }).click()
      await page.getByText(/1 member and 1 running session depend on it/).waitFor()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await until(() => page.url().endsWith('/settings/chats/groups'), { what: 'the list' })
      await dashboard.owner.delete(`/api/sessions/${session.id}`)
    },
  )
})
