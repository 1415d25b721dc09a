import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { press } from '../support/dashboard-keys.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SIGNALBOX_PICTURES']

describe('templates of prompts', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
    const folder = join(dashboard.repo.path, '.signalbox', 'prompts')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'tidy.md'), '---\ndescription: Tidy the yard\n---\n/say Tidied {what=the yard}\n')
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for(['desktop', 'phone'] as const)(
    'B17 made in the settings, then used at a start and in a message, on a %s',
    async (size, context) => {
      const name = `paint-${size}`
      await using opened = await dashboard.open(context, {
        path: '/settings/templates',
        size,
        context: { reducedMotion: 'reduce' },
      })
      const { page, complaints } = opened
      const look = async (what: string) => {
        if (pictures) await page.screenshot({ path: join(pictures, `${size}-${what}.png`) })
      }
      await page.getByRole('button', { name: 'New template' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Text').fill('{a:b|c=d}')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByRole('alert').getByText('not one of its choices').waitFor()
      await dialog.getByLabel('Text').fill('/say Painted the {what} {colour:red|green}')
      await look('template-form')
      await dialog.getByRole('button', { name: 'Save' }).click()
      const row = page.getByRole('listitem').filter({ hasText: name })
      await row.getByText('Fields: what, colour').waitFor()
      await page.getByLabel('Repo').selectOption({ label: 'depot' })
      await page.getByText('.signalbox/prompts/tidy.md').waitFor()
      await look('templates')
      expect(await overflow(page)).toEqual([])
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.evaluate(endTransitions)
        expect.soft({ scheme, barriers: await barriers(page, scheme) }).toEqual({ scheme, barriers: [] })
      }
      const saved = page.waitForEvent('download')
      await row.getByRole('button', { name: `Export ${name}` }).click()
      expect(await readFile(await (await saved).path(), 'utf8')).toBe(
        `---\nname: ${name}\n---\n/say Painted the {what} {colour:red|green}\n`,
      )

      // At a start, with the keyboard alone.
      await page.goto(`${dashboard.server.address}/sessions/new`)
      const first = page.getByLabel('What should it do?')
      await page.getByRole('button', { name: 'Templates' }).click()
      await dialog.getByLabel('Find a template').fill(name)
      await look('template-list')
      await page.keyboard.press('Enter')
      await dialog.getByLabel('what').fill('fence')
      await dialog.getByLabel('colour').selectOption('green')
      await look('template-fields')
      await dialog.getByLabel('what').press('Control+Enter')
      await until(async () => (await first.inputValue()) === '/say Painted the fence green', { what: 'the words' })
      expect(await barriers(page, 'dark')).toEqual([])

      // In a message: / and a part of the name.
      const { id } = await dashboard.start('/say Hello')
      await page.goto(`${dashboard.server.address}/sessions/${id}`)
      const field = page.getByRole('textbox', { name: 'Message the agent' })
      await field.fill('/ti')
      const hints = page.getByRole('list', { name: 'Commands and templates' })
      await hints.getByText('Tidy the yard').waitFor()
      await look('template-hints')
      await field.press('ArrowUp')
      await page.keyboard.press('Enter')
      await dialog.getByLabel('what').waitFor()
      await dialog.getByRole('button', { name: 'Insert' }).click()
      await until(async () => (await field.inputValue()) === '/say Tidied the yard', { what: 'the words' })
      await field.press('Control+Enter')
      await page.getByText('Tidied the yard', { exact: true }).first().waitFor()
      // The agent's own commands stay offered.
      await field.fill('/')
      await hints.getByText('/say', { exact: true }).waitFor()

      await page.goto(`${dashboard.server.address}/settings/templates`)
      await row.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await row.waitFor({ state: 'detached' })
      expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
    },
  )

  it('B17 what another person changed meanwhile is not overwritten, and files are imported', async (context) => {
    const { owner } = dashboard
    const { id } = await owner.post<{ id: string }>('/api/templates', { name: 'shared-one', text: 'First.' })
    await using opened = await dashboard.open(context, { path: '/settings/templates' })
    const { page } = opened
    const row = page.getByRole('listitem').filter({ hasText: 'shared-one' })
    await row.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Text').fill('Mine.')
    await owner.patch(`/api/templates/${id}`, { text: 'Theirs.' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('was changed meanwhile').waitFor()
    await press(page, 'Escape')
    await row.getByText('Theirs.').waitFor()
    await page
      .getByLabel('Files to import')
      .setInputFiles([{ name: 'from-file.md', mimeType: 'text/markdown', buffer: Buffer.from('From a {file}.\n') }])
    const imported = page.getByRole('listitem').filter({ hasText: 'from-file' })
    await imported.getByText('Field: file').waitFor()
    expect(await imported.count()).toBe(1)
  })
})
