import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'

type Id = { id: string }

/** What is said in a corner; browsers hear what is urgent a second time. */
const said = (page: Page, words: string) => page.locator('h2', { hasText: words })

describe('answers and what is answered', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
  })

  async function askOf(subject: Record<string, unknown>, title = 'Run the tests?'): Promise<string> {
    const workspaceRoot = dashboard.repo.path
    const session = await dashboard.owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot })
    return (await dashboard.owner.post<Id>(`/api/sessions/${session.id}/asks`, { title, subject })).id
  }
  const command = () => askOf({ kind: 'command', command: 'npm test', cwd: dashboard.repo.path })

  it('B1 an answer whose reply is lost has not failed: it is looked up, and said which', async (context) => {
    await using opened = await dashboard.open(context, { size: 'phone' })
    const { page } = opened
    const id = await command()
    const keys: (string | undefined)[] = []
    const looked = Promise.withResolvers<void>()
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.route(`**/api/asks/${id}/answer`, async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await route.fetch()
      await route.abort()
    })
    await page.route(`**/api/asks/${id}`, async (route) => {
      await looked.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Approve' }).tap()
    await said(page, 'It is not known whether your answer arrived').waitFor()
    looked.resolve()
    await said(page, 'Your answer arrived').waitFor()
    await said(page, 'It is not known whether your answer arrived').waitFor({ state: 'detached' })
    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{32}$/)])
    expect((await dashboard.ask(id)).status).not.toBe('open')
  })

  it('B1 an answer that never left did not arrive, and trying again is the same answer', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const id = await command()
    const keys: (string | undefined)[] = []
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    const approve = page.getByRole('button', { name: 'Approve' }).first()
    await approve.waitFor()
    await page.route(`**/api/asks/${id}/answer`, async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await (keys.length === 1 ? route.abort() : route.continue())
    })
    await approve.click()
    await said(page, 'Your answer did not arrive').waitFor()
    expect((await dashboard.ask(id)).status).toBe('open')
    await approve.click()
    await said(page, 'Approved').waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(2)
    expect((await dashboard.ask(id)).status).not.toBe('open')
  })

  it('B1 lines a diff leaves out are shown by the keyboard, where the whole content is known', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`)
    const whole = lines.with(29, 'line thirty')
    const preview = [
      '--- a/long.txt',
      '+++ b/long.txt',
      '@@ -29,3 +29,3 @@',
      ' line 29',
      '-line 30',
      '+line thirty',
      ' line 31',
    ]
    const subject = {
      kind: 'diff',
      filePath: 'long.txt',
      diff: `${whole.join('\n')}\n`,
      preview: `${preview.join('\n')}\n`,
    }
    const id = await askOf(subject, 'Change long.txt')
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    const more = page.getByRole('button', { name: 'Show 26 unchanged lines' })
    await more.first().waitFor()
    expect(await page.getByText('line 7', { exact: true }).count()).toBe(0)
    await more.first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('line 7', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Hide 26 unchanged lines' }).waitFor()
    expect((await dashboard.ask(id)).status).toBe('open')
  })
})
