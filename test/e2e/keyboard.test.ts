import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { focusOf, press, tabRound, tabTo } from '../support/dashboard-keys.ts'
import { openDashboard, type Dashboard, type Session } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

describe('the dashboard by keyboard alone', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
  const answered = (id: string) =>
    until(async () => (await dashboard.ask(id)).status !== 'open', { what: 'an answer to the ask' })
  /** The keys work as soon as its buttons can be pressed. */
  const answerable = (page: Page) =>
    page.locator('[role=group][aria-label=Answer] button[aria-keyshortcuts=a]:enabled').waitFor()
  const keptFocus = (page: Page, after: string) =>
    until(async () => !(await focusOf(page)).lost, { seconds: 3, what: `the focus somewhere after ${after}` })
  /** An ask about a separate file, open at its address. */
  async function proposed(name: string): Promise<{ id: string; path: string }> {
    const session = await dashboard.start(`/write ${name} By hand`)
    const { id } = await dashboard.asks(session.id)
    return { id, path: `/asks/${id}` }
  }

  it('B1 the whole first journey: start, inbox, select, read the diff, approve', async (context) => {
    await using opened = await dashboard.open(context, { path: '/welcome' })
    const { page, complaints } = opened
    await until(async () => /Start the practice agent/.test((await focusOf(page)).name), {
      what: 'the focus on the start',
    })
    await press(page, 'Enter')
    await page.waitForURL(/\/welcome\?session=/)
    const id = new URL(page.url()).searchParams.get('session') ?? ''
    const ask = await dashboard.asks(id)
    const other = await proposed('beside.txt')

    await press(page, 'g', 'i')
    await page.waitForURL(`${dashboard.server.address}/`)
    await page.getByRole('link', { name: /Write beside\.txt/ }).waitFor()
    const here = page.locator('li a[aria-current]')
    const isAt = async (wanted: string) =>
      until(async () => (await here.innerText()).includes(wanted), { what: wanted })
    await isAt('signalbox-practice.md')
    await press(page, 'j')
    await isAt('beside.txt')
    await press(page, 'k')
    await isAt('signalbox-practice.md')
    await page.waitForURL(`${dashboard.server.address}/asks/${ask.id}`)
    await press(page, 'Enter')
    expect(await focusOf(page)).toMatchObject({ lost: false })
    await page.getByRole('article').getByText('practice agent').first().waitFor()
    await answerable(page)
    const { workspaceRoot } = await dashboard.owner.get<Session>(`/api/sessions/${id}`)
    const file = join(workspaceRoot, 'signalbox-practice.md')
    expect(existsSync(file)).toBe(false)
    await press(page, 'a')
    const written = () => existsSync(file) && readFileSync(file, 'utf8').includes('practice')
    expect(await until(written, { what: 'what was approved, in the workspace' })).toBe(true)
    await keptFocus(page, 'an answer')
    expect((await dashboard.ask(other.id)).status).toBe('open')
    expect(complaints).toEqual([])
  })

  it('R3 r rejects with a reason; Esc closes it without an answer', async (context) => {
    const { id, path } = await proposed('rejected.txt')
    await using opened = await dashboard.open(context, { path })
    const { page, complaints } = opened
    await answerable(page)
    await press(page, 'r')
    await page.getByRole('dialog').waitFor()
    expect(await focusOf(page)).toMatchObject({ within: 'dialog', seen: true })
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await dashboard.ask(id)).status).toBe('open')
    await page.waitForURL(`**${path}`)
    await press(page, 'r')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Not on this line')
    await tabTo(page, /^Reject/)
    await press(page, 'Enter')
    await answered(id)
    expect(await dashboard.owner.get(`/api/asks/${id}`)).toMatchObject({
      answer: { outcome: 'reject', reason: 'Not on this line' },
    })
    expect(dashboard.file('rejected.txt')).toBeNull()
    await keptFocus(page, 'a refusal')
    expect(complaints).toEqual([])
  })

  it('B8 u undoes what a approved, and the focus stays in the page', async (context) => {
    const { id, path } = await proposed('taken-back.txt')
    await using opened = await dashboard.open(context, { path })
    const { page, complaints } = opened
    await answerable(page)
    await tabTo(page, /^Allow/)
    await press(page, 'Enter')
    await answered(id)
    await until(() => dashboard.file('taken-back.txt') !== null, { what: 'the file' })
    await keptFocus(page, 'an answer by its button')
    // It is known to be written a moment after it was.
    await until(
      async () => {
        await press(page, 'u')
        return until(() => dashboard.file('taken-back.txt') === null, { seconds: 2 }).catch(() => false)
      },
      { what: 'the file gone again' },
    )
    await page
      .getByText(/Undone/)
      .first()
      .waitFor()
    await keptFocus(page, 'an undo')
    expect(complaints).toEqual([])
  })

  it('B1 keys lead to every view, / to search, and ? lists them', async (context) => {
    const session = await dashboard.start('/say The quarry is open')
    await using opened = await dashboard.open(context)
    const { page, complaints } = opened
    await heading(page, 'Inbox')
    for (const [keys, path, name] of [
      [['g', 's'], '/sessions', 'Sessions'],
      [['g', 't'], '/terminals', 'Terminals'],
      [['g', 'c'], '/catch-up', 'Catch up'],
      [['g', ','], '/settings', 'Settings'],
      [['g', 'i'], '/', 'Inbox'],
      [['n'], '/sessions/new', 'New session'],
    ] as const) {
      await press(page, ...keys)
      await page.waitForURL(`${dashboard.server.address}${path}`)
      await heading(page, name)
    }
    // The first field has the focus at once; letters are text there.
    await page.keyboard.type('g i?')
    expect(await page.getByRole('textbox', { name: 'What should it do?' }).inputValue()).toBe('g i?')
    await tabTo(page, /^Start session/)
    await press(page, '?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await help.waitFor()
    for (const words of ['approve', 'reject', 'undo', 'search', 'sessions'])
      await help.getByText(words).first().waitFor()
    await press(page, 'Tab', 'Tab')
    expect((await focusOf(page)).within).toBe('dialog')
    await press(page, 'Escape')
    await help.waitFor({ state: 'detached' })

    await press(page, '/')
    await page.waitForURL('**/search')
    await until(async () =>
      /search/i.test(await page.evaluate(() => document.activeElement?.getAttribute('type') ?? '')),
    )
    await page.keyboard.type('quarry')
    await page
      .getByRole('link', { name: /quarry/ })
      .first()
      .waitFor()
    await tabTo(page, /quarry/)
    await press(page, 'Enter')
    await page.waitForURL(new RegExp(session.id))
    expect(complaints).toEqual([])
  })

  it('B1 Tab visits everything in reading order, with visible focus', async (context) => {
    const { path } = await proposed('tabbed.txt')
    await using opened = await dashboard.open(context, { path })
    const { page } = opened
    await answerable(page)
    await page.getByText('By hand').first().waitFor()
    const round = await tabRound(page)
    expect(round[0]).toMatchObject({ name: 'Skip to content', seen: true })
    expect(round.filter(({ seen }) => !seen)).toEqual([])
    const names = round.map(({ name }) => name)
    const place = (name: RegExp) => names.findIndex((one) => name.test(one))
    const read = [/^Inbox/, /^Sessions/, /^Settings/, /^Keyboard/, /^Write tabbed\.txt/, /^Reject/, /^Allow/].map(place)
    expect(read, names.join(' | ')).toEqual(read.toSorted((a, b) => a - b))
    expect(read).not.toContain(-1)

    await press(page, 'Tab')
    expect(await focusOf(page)).toMatchObject({ name: 'Skip to content' })
    await press(page, 'Enter')
    await press(page, 'Tab')
    expect(await focusOf(page)).toMatchObject({ within: 'main' })
  })

  it('B1 Enter opens the session selected with j and k, and Esc goes back', async (context) => {
    const one = await dashboard.start('/say The first of two')
    const two = await dashboard.start('/say The second of two')
    await using opened = await dashboard.open(context, { path: '/sessions?q=of+two' })
    const { page, complaints } = opened
    await page.getByText('The first of two').first().waitFor()
    await press(page, 'j')
    await press(page, 'j')
    await press(page, 'Enter')
    await page.waitForURL(new RegExp(`/sessions/(${one.id}|${two.id})`))
    await heading(page, /of two/)
    await press(page, 'Escape')
    await page.waitForURL('**/sessions')
    await heading(page, 'Sessions')
    expect(complaints).toEqual([])
  })
})
