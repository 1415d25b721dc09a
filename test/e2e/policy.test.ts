import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, overflow } from '../support/dashboard-barriers.ts'
import { openDashboard, type Ask, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SIGNALBOX_PICTURES']

describe('a policy without JSON', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  async function askOf(command: string): Promise<Ask> {
    const { owner, repo } = dashboard
    const { id } = await owner.post<{ id: string }>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: repo.path,
      agent: 'porter',
    })
    const subject = { kind: 'command', command, cwd: repo.path }
    return owner.post<Ask>(`/api/sessions/${id}/asks`, { title: command, subject })
  }

  it.for<Size>(['desktop', 'phone'])(
    'B7 on a %s: “always allow” is a text and a button, with the back-test beside it',
    async (size, context) => {
      const command = `make ${size}`
      const past = await askOf(command)
      await dashboard.owner.post(`/api/asks/${past.id}/answer`, { outcome: 'reject' })
      await using opened = await dashboard.open(context, { size, path: '/settings/policy' })
      const { page, complaints } = opened
      const form = page.getByRole('region', { name: 'Always allow' })
      // Two actions: the text, and the button.
      await form.getByLabel('Command').fill(command)
      await form.getByText('1 past ask').waitFor()
      await form.getByText('1 differs', { exact: true }).waitFor()
      if (pictures) await page.screenshot({ path: join(pictures, `policy-${size}.png`), fullPage: true })
      await form.getByRole('button', { name: 'Allow always' }).click()
      await page.getByRole('list', { name: 'Rules' }).getByText(command, { exact: true }).waitFor()
      expect(await askOf(command)).toMatchObject({ status: 'answered', answeredBy: `policy:command:${command}` })

      await form.getByLabel('Command').fill('sudo reboot')
      await form.getByRole('button', { name: 'Allow always' }).click()
      await form.getByRole('alert').getByText('never automatic').waitFor()
      expect(await overflow(page)).toEqual([])
      expect(await barriers(page, 'light')).toEqual([])
      // Chromium logs each refused request.
      expect(complaints.filter((complaint) => !/status of 400/.test(complaint))).toEqual([])
    },
  )

  it('B7 files by pattern are written into the file, exactly as shown', async (context) => {
    await using opened = await dashboard.open(context, { path: '/settings/policy' })
    const { page } = opened
    const form = page.getByRole('region', { name: 'Always allow' })
    await form.getByLabel('To').selectOption('Change files')
    await form.getByLabel('File or pattern').fill('docs/')
    await form.getByText('Written into').click()
    const shown = await form.locator('pre').innerText()
    await form.getByRole('button', { name: 'Allow always' }).click()
    const path = join(dashboard.repo.path, '.signalbox', 'settings.json')
    await until(() => readIfThere(path) !== null, { what: 'the file' })
    expect(readIfThere(path)?.trim()).toBe(shown.trim())
    expect(JSON.parse(shown)).toEqual({ enabled: true, file_patterns: { write: ['docs/**'] } })
    const file = page.getByLabel('Settings (JSON)')
    await until(async () => (await file.inputValue()).includes('docs/**'), { what: 'the file below the form' })
  })

  it('B7 from an ask, “always” is in force after three actions', async (context) => {
    const command = 'make signals'
    const ask = await askOf(command)
    await using opened = await dashboard.open(context, { path: `/asks/${ask.id}` })
    const { page } = opened
    await page.getByRole('button', { name: 'Always', exact: true }).click()
    await page.getByRole('button', { name: 'See policy' }).click()
    const rule = page.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: command })
    await rule.getByRole('button', { name: 'Confirm' }).click()
    await rule.getByText('in force').waitFor()
    await until(async () => (await askOf(command)).status === 'answered', { what: 'an automatic answer' })
    expect((await askOf(`${command} --force`)).status).toBe('open')
  })
})

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
