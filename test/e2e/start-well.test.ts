import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SIGNALBOX_PICTURES']

describe('sessions by name', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for<Size>(['desktop', 'phone'])('B17 named, pinned, archived and found again on a %s', async (size, context) => {
    const connected = (prompt: string) =>
      dashboard.owner.post<{ id: string }>('/api/sessions', {
        protocolMode: 'mcp',
        workspaceRoot: dashboard.repo.path,
        agent: 'porter',
        prompt,
      })
    const { id } = await connected(`Mend the gate, ${size}`)
    await connected(`Paint the fence, ${size}`)
    await using opened = await dashboard.open(context, { path: `/sessions/${id}`, size })
    const { page, complaints } = opened
    const look = async (name: string) => {
      if (pictures) await page.screenshot({ path: join(pictures, `${size}-${name}.png`) })
    }
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      if (item === 'Pin') await look('menu')
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await choose('Rename…')
    await page.getByRole('textbox', { name: 'Name' }).fill(`The gate of ${size}`)
    await look('rename')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { name: `The gate of ${size}` }).waitFor()
    await choose('Pin')
    await page.getByRole('link', { name: 'Back to sessions' }).click()
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await until(async () => (await rows.first().innerText()).includes(`The gate of ${size}`), { what: 'it on top' })
    expect(await rows.first().getByText('Pinned').count()).toBe(1)
    await look('pinned')

    await dashboard.owner.post(`/api/sessions/${id}/complete`, {})
    await rows.first().getByRole('link').click()
    await choose('Archive')
    await page.getByRole('link', { name: 'Back to sessions' }).click()
    const gate = rows.filter({ hasText: `The gate of ${size}` })
    await until(async () => (await rows.count()) > 0 && (await gate.count()) === 0, { what: 'a list without it' })
    if (size === 'phone') await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'Archived' }).click()
    await gate.waitFor()
    await look('archived')
    await gate.getByRole('link').click()
    await choose('Bring back from the archive')
    const isBack = async () => (await dashboard.owner.get<{ archivedAt: unknown }>(`/api/sessions/${id}`)).archivedAt
    await until(async () => (await isBack()) === null, { what: 'it back in lists' })
    expect(complaints).toEqual([])
  })
})
