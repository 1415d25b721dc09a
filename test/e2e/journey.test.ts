import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Person = { id: string; displayName: string }

const everywhere: readonly Size[] = ['desktop', 'phone']

describe('the first journey in a browser', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  it.for(everywhere)('B1 B5 on a %s: start, see the diff, approve, and the file is written', async (size, context) => {
    const name = `first-${size}.txt`
    await using opened = await dashboard.open(context, { size, path: '/sessions/new' })
    const { page, complaints } = opened
    await page
      .getByRole('radio', { name: /practice/i })
      .or(page.getByRole('combobox', { name: 'Agent' }))
      .first()
      .waitFor()
    await page.getByRole('textbox', { name: /prompt|what should/i }).fill(`/write ${name} All aboard`)
    await page.getByRole('button', { name: /^start/i }).click()
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}/)
    await page.getByRole('link', { name: /inbox/i }).first().click()
    if (size === 'phone') await page.getByRole('link', { name: new RegExp(`Write ${name}`) }).click()
    await page.getByRole('heading', { name: `Write ${name}` }).waitFor()
    await page.getByText('All aboard').first().waitFor()
    expect(dashboard.file(name)).toBeNull()
    await page.getByRole('button', { name: 'Allow', exact: false }).last().click()
    await until(() => dashboard.file(name) === 'All aboard\n', { what: `${name} in the workspace` })
    expect(complaints).toEqual([])
  })

  it.for(everywhere)('R3 on a %s: reject with a reason, and nothing is written', async (size, context) => {
    const name = `refused-${size}.txt`
    const session = await dashboard.start(`/write ${name} Never`)
    const ask = await dashboard.asks(session.id)
    await using opened = await dashboard.open(context, { size, path: `/asks/${ask.id}` })
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'Reject', exact: false }).click()
    await page.getByLabel('Reason (optional)').fill('Not on this line')
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await until(async () => (await dashboard.ask(ask.id)).status === 'answered')
    const { answer } = await dashboard.owner.get<{ answer: { outcome: string; reason: string } }>(`/api/asks/${ask.id}`)
    expect(answer).toMatchObject({ outcome: 'reject', reason: 'Not on this line' })
    expect(dashboard.file(name)).toBeNull()
    expect(complaints).toEqual([])
  })

  it.for(everywhere)('R9 on a %s: refine in your own words, which the agent gets', async (size, context) => {
    const session = await dashboard.owner.post<{ id: string }>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: dashboard.repo.path,
    })
    const ask = await dashboard.owner.post<{ id: string }>(`/api/sessions/${session.id}/asks`, {
      title: 'Shall I continue?',
      subject: { kind: 'prompt', text: 'Twelve files changed. Go on with the tests?' },
    })
    await using opened = await dashboard.open(context, { size, path: `/asks/${ask.id}` })
    const { page, complaints } = opened
    await page.getByText('Twelve files changed').first().waitFor()
    await page.getByRole('button', { name: 'Refine', exact: false }).click()
    await page.getByLabel('What should it do?').fill('Only the unit tests')
    await page.getByRole('button', { name: 'Send' }).click()
    const told = await dashboard.owner.get<{ answer: unknown }>(`/api/asks/${ask.id}?wait=20`)
    expect(told.answer).toEqual({ outcome: 'refine', instruction: 'Only the unit tests' })
    expect(complaints).toEqual([])
  })

  it.for(everywhere)('B8 on a %s: an approved change is undone', async (size, context) => {
    const name = `undone-${size}.txt`
    const session = await dashboard.start(`/write ${name} Too soon`)
    const ask = await dashboard.asks(session.id)
    await using opened = await dashboard.open(context, { size, path: `/asks/${ask.id}` })
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'Allow', exact: false }).last().click()
    await until(() => dashboard.file(name) === 'Too soon\n')
    // The file is there a moment before the approval counts as applied.
    const undoFails = () =>
      dashboard.owner.post<{ problem?: unknown }>(`/api/asks/${ask.id}/undo`, { check: true }).then(
        ({ problem }) => problem,
        (error: unknown) => error,
      )
    await until(async () => !(await undoFails()), { what: 'an undo that is possible' })
    await page.goto(`${dashboard.server.address}/asks/${ask.id}`)
    await page.getByRole('button', { name: /undo/i }).first().click()
    await until(() => dashboard.file(name) === null, { what: `${name} gone again` })
    await page
      .getByText(/undone/i)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('B1 two people in two browsers answer at once: one wins, the other is told who', async (context) => {
    const session = await dashboard.start('/write once.txt Once')
    const ask = await dashboard.asks(session.id)
    const { user: ann } = await dashboard.owner.get<{ user: Person }>('/api/me')
    const ben = await dashboard.owner.post<Person>('/api/users', { displayName: 'Ben' })
    await dashboard.owner.put(`/api/sessions/${session.id}/delegates/${ben.id}`)
    await using one = await dashboard.open(context, { path: `/asks/${ask.id}` })
    await using other = await dashboard.open(context, { path: `/asks/${ask.id}`, userId: ben.id })
    const allow = (page: Page) => page.getByRole('group', { name: 'Answer' }).getByRole('button', { name: 'Allow' })
    for (const { page } of [one, other]) await until(() => allow(page).isEnabled(), { what: 'an answer to give' })
    // Whoever is told of the other's answer before the click has nothing to click any more.
    const press = (page: Page) =>
      allow(page)
        .dispatchEvent('click', {}, { timeout: 3000 })
        .catch(() => undefined)
    await Promise.all([one, other].map(({ page }) => press(page)))
    await until(() => dashboard.file('once.txt') === 'Once\n')
    const { answeredBy } = await dashboard.ask(ask.id)
    const [winner, loser] = answeredBy === `user:${ann.id}` ? [ann, other] : [ben, one]
    expect(answeredBy).toBe(`user:${winner.id}`)
    await loser.page.getByText(`by ${winner.displayName}`).first().waitFor()
    expect((winner === ann ? one : other).complaints).toEqual([])
  })
})
