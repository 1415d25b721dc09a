import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }

describe('work in the dashboard, every day', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard({ config: '[terminal]\nask = "all"\n' })
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const connected = (prompt: string) =>
    dashboard.owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: dashboard.repo.path, prompt })
  const command = async (text: string) => {
    const { id } = await connected('Load the wagons')
    const subject = { kind: 'command', command: text, cwd: dashboard.repo.path }
    return dashboard.owner.post<Id>(`/api/sessions/${id}/asks`, { title: 'Run it?', subject })
  }
  const isOpen = async (id: string) => (await dashboard.ask(id)).status === 'open'
  const answered = (id: string) => until(async () => !(await isOpen(id)), { what: 'an answer' })

  it('B1 a phone has one button that sends', async (context) => {
    const { id } = await dashboard.start('/say Ready')
    await using opened = await dashboard.open(context, { size: 'phone', path: `/sessions/${id}` })
    const { page, complaints } = opened
    await page.getByLabel('Message the agent').fill('On we go')
    const sends = page.getByRole('button', { name: /^Send(?! options)/ })
    await sends.first().waitFor()
    expect(await sends.count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('B1 a diff on a phone has one side, whatever was chosen elsewhere', async (context) => {
    // A new file has one side anyway.
    await writeFile(join(dashboard.repo.path, 'plan.txt'), 'An older line of the plan that is longer than a phone\n')
    const { id } = await dashboard.start('/write plan.txt One line of the plan that is longer than a phone')
    const ask = await dashboard.asks(id)
    await using opened = await dashboard.open(context, { size: 'phone' })
    const { page, complaints } = opened
    await page.evaluate(() => localStorage.setItem('signalbox.diff.narrow', '{"layout":"split","wrap":true}'))
    await page.goto(`${dashboard.server.address}/asks/${ask.id}`)
    const text = page.locator('.diff-table td.diff-text', { hasText: 'One line' })
    expect((await text.boundingBox())!.width).toBeGreaterThan(250)
    expect(await page.getByRole('button', { name: 'Split' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('B1 Copy at an agent copies the command that installs it', async (context) => {
    await using opened = await dashboard.open(context, {
      path: '/settings/agents/gemini',
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'Copy the command' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^npm install -g \S+$/)
    expect(complaints).toEqual([])
  })

  it('B1 a session that is over no longer types, thinks or runs a tool', async (context) => {
    const { id } = await connected('Count the wagons')
    const say = (content: object) => dashboard.owner.post(`/api/sessions/${id}/messages`, { role: 'agent', content })
    await say({ type: 'thought', text: 'There are many', partial: true })
    await say({ type: 'tool', tool: 'count', title: 'Count them', args: {}, status: 'in_progress' })
    await say({ type: 'text', text: 'So far I see four', partial: true })
    await using opened = await dashboard.open(context, { path: `/sessions/${id}` })
    const { page, complaints } = opened
    const log = page.getByRole('log')
    await log.getByText('Thinking…').waitFor()
    await log.getByText('running', { exact: true }).waitFor()
    expect(await log.locator('.animate-pulse').count()).toBeGreaterThan(0)
    await dashboard.owner.delete(`/api/sessions/${id}`)
    await log.getByText('not finished').waitFor()
    expect(await log.getByText('Thinking…').count()).toBe(0)
    expect(await log.locator('.animate-pulse').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('S6 a low risk is the word of the agent; a higher one of ours stands beside it', async (context) => {
    const harmless = await command('ls')
    await using opened = await dashboard.open(context, { path: `/asks/${harmless.id}` })
    const { page, complaints } = opened
    const pane = page.getByRole('article')
    await pane.getByText('Agent says low risk').waitFor()
    const grave = await command('rm -rf ~')
    await page.goto(`${dashboard.server.address}/asks/${grave.id}`)
    await pane.getByText(/^(Critical|High risk)$/).waitFor()
    await pane.getByText(/Judged (critical|high): .*The agent says low\./).waitFor()
    // A hosted agent does not say how risky its call is.
    const { id } = await dashboard.start('/write quiet.txt Hush')
    await page.goto(`${dashboard.server.address}/asks/${(await dashboard.asks(id)).id}`)
    await pane.getByText('Hush').first().waitFor()
    expect(await pane.getByText(/low risk/i).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('B8 undo is offered once something was written, and not when nothing was', async (context) => {
    const { id } = await dashboard.start('/write ledger.txt Ten crates')
    const ask = await dashboard.asks(id)
    await using opened = await dashboard.open(context, { path: `/asks/${ask.id}` })
    const { page } = opened
    await page.locator('button[aria-keyshortcuts=a]:enabled').click()
    await until(() => dashboard.file('ledger.txt') !== null, { what: 'the file' })
    await page.goto(`${dashboard.server.address}/asks/${ask.id}`)
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByRole('button', { name: 'Undo' }).waitFor()
    // As if the agent had never written it.
    await rm(join(dashboard.repo.path, 'ledger.txt'))
    await page.reload()
    await outcome.getByText('The agent has changed no file with this so far.').waitFor()
    expect(await outcome.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.goto(`${dashboard.server.address}/sessions/${id}`)
    await page
      .getByRole('log')
      .getByText(/ed by you/)
      .waitFor()
    expect(await page.getByRole('log').getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('B1 an ended session of an agent elsewhere offers what works', async (context) => {
    const { id } = await connected('Sweep the platform')
    await dashboard.owner.delete(`/api/sessions/${id}`)
    await using opened = await dashboard.open(context, { path: `/sessions/${id}` })
    const { page, complaints } = opened
    await page.getByText('Its agent does not run in Signalbox').waitFor()
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem', { name: /Continue/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Start an agent here' }).click()
    await page.getByRole('heading', { name: 'New session' }).waitFor()
    expect(await page.getByLabel('What should it do?').inputValue()).toBe('Sweep the platform')
    expect(complaints).toEqual([])
  })

  it('B1 words typed beside the field of a session answer, undo and start nothing', async (context) => {
    const { id } = await dashboard.start('/write words.txt Many')
    const ask = await dashboard.asks(id)
    await using opened = await dashboard.open(context, { path: `/sessions/${id}` })
    const { page, complaints } = opened
    const allow = page.locator('button[aria-keyshortcuts=a]:enabled')
    await allow.waitFor()
    for (const words of ['add a test', 'run it again', 'now undo']) {
      await page.keyboard.type(words, { delay: 40 })
      await settled(page)
      expect({ words, open: await isOpen(ask.id) }).toEqual({ words, open: true })
      expect({ words, url: page.url() }).toEqual({ words, url: `${dashboard.server.address}/sessions/${id}` })
      expect({ words, dialogs: await page.getByRole('dialog').count() }).toEqual({ words, dialogs: 0 })
    }
    await page.keyboard.press('a')
    await answered(ask.id)
    expect(complaints).toEqual([])
  })

  it(
    'T1 words typed beside a terminal or its prompt go to the field, and not to the program',
    { timeout: 120_000 },
    async (context) => {
      const { sessionId } = await dashboard.owner.post<{ sessionId: string }>('/api/terminals', {
        sessionType: 'script',
        command: ['sh', '-c', `printf 'Install the package? [y/n] '; read a; echo "said $a"; sleep 60`],
        name: 'installer',
      })
      const open = () => dashboard.owner.get<{ asks: Id[] }>(`/api/asks?status=open&sessionId=${sessionId}`)
      const ask = await until(async () => (await open()).asks[0], { what: 'the ask of the terminal', seconds: 40 })
      await using opened = await dashboard.open(context, { path: `/terminals/${sessionId}` })
      const { page, complaints } = opened
      const field = page.getByLabel('Answer', { exact: true })
      await until(() => field.isEnabled(), { what: 'the field' })
      await page.keyboard.type('npm again', { delay: 40 })
      await settled(page)
      expect(await field.inputValue()).toBe('npm again')
      expect(page.url()).toContain(`/terminals/${sessionId}`)
      await page.goto(`${dashboard.server.address}/asks/${ask.id}`)
      const answer = page.getByLabel('Type an answer')
      await answer.waitFor()
      await until(() => page.getByRole('button', { name: 'Dismiss' }).isEnabled(), { what: 'the answers' })
      await page.keyboard.type('arnold', { delay: 40 })
      await settled(page)
      expect(await answer.inputValue()).toBe('arnold')
      expect(await isOpen(ask.id)).toBe(true)
      await dashboard.owner.post(`/api/terminals/${sessionId}/end`)
      expect(complaints).toEqual([])
    },
  )

  it.for(['desktop', 'phone'] as const)(
    'B1 a toast on a %s covers neither title nor buttons',
    async (size, context) => {
      const asks = [await command('make one'), await command('make two')]
      await using opened = await dashboard.open(context, { size, path: `/asks/${asks[0]!.id}` })
      const { page, complaints } = opened
      await page.getByRole('button', { name: 'Approve' }).click()
      const toast = page.locator('h2', { hasText: 'Approved' }).first()
      await toast.waitFor()
      if (size === 'desktop') await page.getByRole('button', { name: 'Approve' }).waitFor()
      await settled(page)
      expect(await coveredBy(page, 'Approved')).toEqual([])
      expect(complaints).toEqual([])
    },
  )
})

/** Longer than a shortcut waits for a second letter, and than letters count as the same words. */
const settled = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise<void>((done) => setTimeout(() => requestAnimationFrame(() => done()), 1200)))

/** Headings, links, buttons and fields of the view that lie under this toast. */
const coveredBy = (page: Page, words: string): Promise<string[]> =>
  page.evaluate((said) => {
    const head = [...document.querySelectorAll('h2')].find((one) => one.textContent === said && !one.closest('main'))
    const toast = head!.closest('[role=dialog], [role=alertdialog]')!.getBoundingClientRect()
    const parts = document.querySelectorAll('main :is(h1, h2, a, button, textarea, input), nav[aria-label=Places]')
    return [...parts].flatMap((part) => {
      const box = part.getBoundingClientRect()
      if (box.width <= 1 || box.height === 0) return []
      const wide = Math.min(box.right, toast.right) - Math.max(box.left, toast.left)
      const high = Math.min(box.bottom, toast.bottom) - Math.max(box.top, toast.top)
      return wide > 1 && high > 1 ? [part.textContent || part.getAttribute('aria-label') || part.tagName] : []
    })
  }, words)
