import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inSight, manyTimes } from '../support/dashboard-state.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
const sessionCount = 1000
const askCount = 200
const messageCount = 2000
const numbered = (index: number) => String(index).padStart(4, '0')

describe('a dashboard with a lot in it', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
    await manyTimes(sessionCount, (index) => startSession(`Shunt wagon ${numbered(index)}`))
  }, 120_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const startSession = (prompt: string) =>
    dashboard.owner.post<Id>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: dashboard.repo.path,
      agent: 'porter',
      prompt,
    })
  const ask = (session: Id, title: string, subject: Record<string, unknown>) =>
    dashboard.owner.post<Id>(`/api/sessions/${session.id}/asks`, { title, subject })
  const command = (index: number) => ({ kind: 'command', command: `make part-${index}`, cwd: dashboard.repo.path })
  const say = (session: Id, text: string) =>
    dashboard.owner.post(`/api/sessions/${session.id}/messages`, { role: 'agent', content: { type: 'text', text } })

  it('B1 1,000 sessions: the list scrolls to its end, stays fresh, and can be searched', async (context) => {
    await using opened = await dashboard.open(context, { path: '/sessions' })
    const { page, complaints } = opened
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await rows.first().waitFor()
    const drawn: number[] = []
    const oldest = page.getByText('Shunt wagon 0000')
    await until(
      async () => {
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
        drawn.push(await rows.count())
        return oldest.isVisible()
      },
      { what: 'the end of the list', seconds: 60 },
    )
    expect(Math.max(...drawn)).toBeLessThan(200)
    expect(Number(await rows.last().getAttribute('aria-posinset'))).toBeGreaterThanOrEqual(sessionCount)

    // Everything is loaded now, and reloaded on events; that ends although more happens meanwhile.
    await page.evaluate(() => window.scrollTo(0, 0))
    const busy = await startSession('A busy wagon')
    const seen = new AbortController()
    const happening = (async () => {
      for (let index = 0; !seen.signal.aborted; index++) {
        const { id } = await ask(busy, `Busy ${index}`, command(index))
        await dashboard.owner.post(`/api/asks/${id}/cancel`)
      }
    })()
    await page
      .getByText('A busy wagon')
      .first()
      .waitFor()
      .finally(() => seen.abort())
    await happening

    const search = page.getByRole('searchbox', { name: 'Search sessions' })
    await search.pressSequentially('wagon 0507')
    expect(await search.inputValue()).toBe('wagon 0507')
    await until(async () => (await rows.count()) === 1, { what: 'the one session looked for' })
    expect(await rows.first().innerText()).toContain('Shunt wagon 0507')
    await search.fill('no such wagon')
    await page.getByText('No matching sessions').waitFor()
    await search.fill('')
    await until(async () => (await rows.count()) > 10, { what: 'the whole list again' })
    expect(complaints).toEqual([])
  })

  it('B1 200 open asks: all are there, keys move among them, and one is answered', async (context) => {
    const session = await startSession('Ask a lot')
    const asks = await manyTimes(askCount, (index) => ask(session, `Make part ${numbered(index)}`, command(index)))
    await using opened = await dashboard.open(context)
    const { page, complaints } = opened
    const rows = page.locator('[data-key]')
    await until(async () => (await rows.count()) === askCount, { what: 'all that wait' })
    await page.getByText('200 waiting for you').waitFor()
    for (let step = 0; step < 12; step++) await page.keyboard.press('j')
    const here = page.locator('[data-key]', { has: page.locator('[aria-current]') })
    const key = await here.getAttribute('data-key')
    expect(
      await rows.evaluateAll((all, wanted) => all.findIndex((row) => row.getAttribute('data-key') === wanted), key),
    ).toBe(12)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.locator(`[data-key="${key}"]`).waitFor({ state: 'detached' })
    // Its row disappears as soon as the answer is sent.
    const answered = async () => (await dashboard.ask(key!.slice('ask:'.length))).status === 'answered'
    await until(answered, { what: 'the answer' })
    await manyTimes(asks.length, (index) =>
      dashboard.owner.send('POST', `/api/asks/${asks[index]!.id}/cancel`, { body: {} }),
    )
    await page.getByText('Nothing is waiting for you').first().waitFor()
    expect(complaints).toEqual([])
  })

  it('B1 R3 a diff of 3,000 lines: split and unified, to its last file, and approved', async (context) => {
    const names = Array.from({ length: 10 }, (_, index) => `src/part-${index}.ts`)
    const diff = names.map((name) => diffOf(name, 100)).join('')
    expect(diff.split('\n').filter((line) => /^[ +-](?![+-])/.test(line))).toHaveLength(3000)
    const session = await startSession('Change much')
    const { id } = await ask(session, 'Ten files', { kind: 'diff', filePath: names[0], diff })
    await using opened = await dashboard.open(context, { path: `/asks/${id}` })
    const { page, complaints } = opened
    await page.getByText('const line0 = 1').first().waitFor()
    const split = page.getByRole('button', { name: 'Split' })
    for (const pressed of ['true', 'false', 'true', 'false']) {
      if ((await split.getAttribute('aria-pressed')) !== pressed) await split.click()
      await page.getByText('const line0 = 1').first().waitFor()
    }
    await page.getByRole('button', { name: '10 files' }).click()
    await page
      .locator('.diff-list')
      .getByRole('button', { name: /part-9/ })
      .click()
    const last = page.locator('section.diff-file', { has: page.getByRole('heading', { name: 'src/part-9.ts' }) })
    await last.getByText('const line0 = 1').first().waitFor()
    await until(async () => isInView(page, last.locator('.diff-file-head')), { what: 'the last file in view' })
    // What was scrolled past is not rendered.
    expect(await page.locator('.diff tr').count()).toBeLessThan(2500)
    await page.getByRole('button', { name: 'Approve' }).click()
    await until(async () => (await dashboard.ask(id)).status !== 'open', { what: 'the approval' })
    await page
      .getByText(/approved/i)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('B1 a session with 2,000 messages: the newest appear at once, older ones on scrolling', async (context) => {
    const session = await startSession('Talk much')
    await manyTimes(messageCount - 1, (index) => say(session, `word ${numbered(index)}`))
    await say(session, 'the newest word')
    await using opened = await dashboard.open(context, { path: `/sessions/${session.id}` })
    const { page, complaints } = opened
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText('the newest word').waitFor()
    const seen = () => inSight(page, '[role="log"]')
    await until(async () => (await seen()).includes('the newest word'), { what: 'the newest in sight' })
    expect(await log.locator('> div > *').count()).toBeLessThan(120)
    await log.hover()
    await until(
      async () => {
        await page.mouse.wheel(0, -1500)
        return (await seen()).some((text) => text.startsWith('word 17'))
      },
      { what: 'older ones', seconds: 30 },
    )
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await until(async () => (await seen()).includes('the newest word'), { what: 'the newest again' })
    expect(complaints).toEqual([])
  })
})

async function isInView(page: Page, locator: ReturnType<Page['locator']>): Promise<boolean> {
  const box = await locator.boundingBox()
  return box !== null && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0)
}

/** Each line stays, is removed or is added: three lines of diff for each. */
function diffOf(name: string, count: number): string {
  const lines = Array.from(
    { length: count },
    (_, index) => ` // ${index}\n-const line${index} = 0\n+const line${index} = 1\n`,
  )
  return `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,${count * 2} +1,${count * 2} @@\n${lines.join('')}`
}
