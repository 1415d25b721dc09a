import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Ask, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
const everywhere: readonly Size[] = ['desktop', 'phone']

/** Counts what the page really received: keys outside of a text, and clicks or taps. Words typed into a field are one word. */
const countActions = () => {
  const counted: string[] = []
  const isText = (at: EventTarget | null) => at instanceof Element && at.closest('input,textarea') !== null
  const listen = (type: 'keydown' | 'click', name: (event: KeyboardEvent | MouseEvent) => string | null) =>
    addEventListener(
      type,
      (event) => {
        const told = event.isTrusted ? name(event) : null
        if (told !== null) counted.push(told)
      },
      { capture: true },
    )
  listen('keydown', (event) => {
    const { key, ctrlKey, target } = event as KeyboardEvent
    if (key === 'Control' || (isText(target) && key.length === 1 && !ctrlKey)) return null
    return ctrlKey ? `Ctrl+${key}` : key
  })
  // A key that presses a button makes a click without coordinates, which the key already counts for.
  listen('click', (event) => ((event as MouseEvent).detail === 0 ? null : 'tap'))
  Object.assign(globalThis, { countedActions: counted })
}
const actions = (page: Page): Promise<string[]> => page.evaluate('globalThis.countedActions')

describe('everyday journeys, counted', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const visit = async (context: never, size: Size, path = '/') => {
    const opened = await dashboard.open(context, { size, path: '/settings' })
    await opened.page.addInitScript(countActions)
    await opened.page.goto(`${dashboard.server.address}${path}`)
    return opened
  }
  const elsewhere = (prompt: string) =>
    dashboard.owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: dashboard.repo.path, prompt })
  const command = async (line: string) => {
    const { id } = await elsewhere('Load the wagons')
    const subject = { kind: 'command', command: line, cwd: dashboard.repo.path }
    return dashboard.owner.post<Ask>(`/api/sessions/${id}/asks`, { title: line, subject })
  }

  it.for(everywhere)('B1 on a %s: an ask is answered from the inbox by 1 key or 2 taps', async (size, context) => {
    const ask = await command(`make answer-${size}`)
    await using opened = await visit(context as never, size)
    const { page, complaints } = opened
    const allow = page.locator('[role=group][aria-label=Answer] button[aria-keyshortcuts=a]:enabled')
    if (size === 'phone') {
      await page.getByRole('link', { name: `make answer-${size}` }).tap()
      await allow.tap()
    } else {
      await allow.waitFor()
      await page.keyboard.press('a')
    }
    await until(async () => (await dashboard.ask(ask.id)).status !== 'open', { what: 'an answer' })
    expect(await actions(page)).toEqual(size === 'phone' ? ['tap', 'tap'] : ['a'])
    expect(complaints).toEqual([])
  })

  /** A change that somebody else's tab approved, with many answers since. */
  async function changedEarlier(name: string): Promise<void> {
    const session = await dashboard.start(`/write ${name} Too soon`)
    const { id } = await dashboard.asks(session.id)
    await dashboard.owner.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
    await until(
      () =>
        dashboard.owner.post<{ problem?: unknown }>(`/api/asks/${id}/undo`, { check: true }).then(
          ({ problem }) => !problem,
          () => false,
        ),
      { what: 'an undo that is possible' },
    )
    for (const line of ['make tea', 'make coffee']) {
      const later = await command(line)
      await dashboard.owner.post(`/api/asks/${later.id}/answer`, { outcome: 'reject' })
    }
  }

  it.for(everywhere)(
    'B8 on a %s: what was approved elsewhere is found and undone by 2 keys or taps, having been seen',
    async (size, context) => {
      const name = `earlier-${size}.txt`
      await changedEarlier(name)
      await using opened = await visit(context as never, size)
      const { page, complaints } = opened
      if (size === 'phone') {
        await page.getByRole('link', { name: 'History' }).tap()
        const row = page.getByRole('listitem').filter({ hasText: `Write ${name}` })
        await row.getByRole('button', { name: 'Undo' }).tap()
      } else {
        await page.getByRole('link', { name: 'History' }).waitFor()
        await page.keyboard.press('u')
        await page.getByRole('heading', { name: `Write ${name}` }).waitFor()
        await page.getByText('Too soon').first().waitFor()
        await page.getByRole('region', { name: 'Outcome' }).getByRole('button', { name: 'Undo' }).waitFor()
        await until(() => dashboard.file(name) === 'Too soon\n', { what: 'the file, not undone yet' })
        await page.keyboard.press('u')
      }
      await until(() => dashboard.file(name) === null, { what: `${name} gone again` })
      expect(await actions(page)).toEqual(size === 'phone' ? ['tap', 'tap'] : ['u', 'u'])
      expect(complaints).toEqual([])
    },
  )

  it('B8 u says so if nothing of yours can be undone', async (context) => {
    const stranger = await dashboard.owner.post<Id>('/api/users', { displayName: 'Nobody yet' })
    await using opened = await dashboard.open(context, { userId: stranger.id })
    const { page } = opened
    await page.getByRole('link', { name: 'History' }).waitFor()
    await page.keyboard.press('u')
    await page.locator('h2', { hasText: 'Nothing to undo' }).waitFor()
    expect(page.url()).toBe(`${dashboard.server.address}/`)
  })

  it.for(everywhere)(
    'B1 on a %s: a session that has left the lists is opened by 2 keys or taps and a word',
    async (size, context) => {
      const word = `quarry-${size}`
      const { id } = await elsewhere(`Survey the ${word} and report`)
      await dashboard.owner.delete(`/api/sessions/${id}`)
      // More than any list shows at first.
      for (let number = 0; number < 110; number += 1) await elsewhere(`Shunt wagon ${number}`)
      await using opened = await visit(context as never, size)
      const { page, complaints } = opened
      if (size === 'phone') {
        await page.getByRole('link', { name: 'Search' }).tap()
        await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
        await page.keyboard.type(word)
        await page
          .getByRole('main')
          .getByRole('link', { name: new RegExp(word) })
          .first()
          .tap()
      } else {
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await page.keyboard.press('Control+k')
        await page.getByRole('dialog').getByRole('combobox').waitFor()
        await page.keyboard.type(word)
        const best = page.locator('[role=dialog] [role=option][data-highlighted]', { hasText: word })
        await best.waitFor()
        await page.keyboard.press('Enter')
      }
      await page.waitForURL(`**/sessions/${id}`)
      await page.getByRole('heading', { name: new RegExp(word) }).waitFor()
      expect(await actions(page)).toEqual(size === 'phone' ? ['tap', 'tap'] : ['Ctrl+k', 'Enter'])
      expect(complaints).toEqual([])
    },
  )

  it.for(everywhere)(
    'B7 on a %s: from an ask, “always allow” is in force after 3 clicks or taps, without JSON',
    async (size, context) => {
      const line = `make always-${size}`
      const ask = await command(line)
      await using opened = await visit(context as never, size, `/asks/${ask.id}`)
      const { page, complaints } = opened
      const press = size === 'phone' ? 'tap' : 'click'
      await page.getByRole('button', { name: 'Always', exact: true })[press]()
      await page.getByRole('button', { name: 'See policy' })[press]()
      const rule = page.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: line })
      await rule.getByRole('button', { name: 'Confirm' })[press]()
      await rule.getByText('in force').waitFor()
      expect(await actions(page)).toEqual(['tap', 'tap', 'tap'])
      expect(await command(line)).toMatchObject({ status: 'answered', answeredBy: `policy:command:${line}` })
      expect((await command(`${line} --force`)).status).toBe('open')
      expect(complaints).toEqual([])
    },
  )
})
