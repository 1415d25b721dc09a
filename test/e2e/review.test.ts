import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, sizes, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
type Answered = { status: string; answer: { outcome: string; reason: string } }

const shop = [
  '--- a/src/shop.ts',
  '+++ b/src/shop.ts',
  '@@ -1,4 +1,4 @@',
  ' export const tax = 0.19',
  '-export const price = (net: number) => net * tax',
  '+export const price = (net: number) => net + tax',
  ' export const free = 0',
  ' export const open = true',
  '',
].join('\n')
const fileOf = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-one\n+two\n`
/** Enough files for a tree. */
const many = [shop, ...Array.from({ length: 14 }, (_, n) => fileOf(`src/pages/page-${n}.ts`))].join('')

describe('a review', () => {
  let dashboard: Dashboard
  let session: Id
  beforeAll(async () => {
    dashboard = await openDashboard()
    const { owner, repo } = dashboard
    session = await owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: repo.path })
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const message = (content: object) =>
    dashboard.owner.post(`/api/sessions/${session.id}/messages`, { role: 'agent', content })
  const propose = (diff: string) =>
    dashboard.owner.post<Id>(`/api/sessions/${session.id}/asks`, {
      title: 'Change the shop',
      subject: { kind: 'diff', filePath: 'src/shop.ts', diff, files: [] },
    })

  const accessible = async (page: Page) => {
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)).toEqual([])
  }
  const fits = async (page: Page) =>
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBeLessThanOrEqual(0)
  const file = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  it.each(Object.keys(sizes) as Size[])(
    'B18 on a %s, two comments on lines go back to the agent, and its next change is compared with the last',
    async (size, context) => {
      await using opened = await dashboard.open(context as never, { size })
      const { page, complaints } = opened
      await message({
        type: 'plan',
        steps: [
          { content: 'Read the shop', status: 'completed' },
          { content: 'Fix the price', status: 'in_progress' },
        ],
      })
      await message({ type: 'tool', tool: 'read_file', title: 'Read src/shop.ts', args: {} })
      await message({ type: 'text', text: 'The price needs the tax added.' })
      const { id } = await propose(many)
      await page.goto(`${dashboard.server.address}/asks/${id}`)
      const code = file(page, 'src/shop.ts')
      await code.waitFor()

      // What the agent said and did before.
      const before = page.getByRole('region', { name: 'Before this' })
      await before.getByText('The price needs the tax added.').waitFor()
      await before.getByText('Fix the price').waitFor()
      await before.getByText('Read src/shop.ts').waitFor()

      // A click on a line number, and the button with a line's number.
      await code.locator('tr.diff-added td.diff-number').last().click()
      await page.getByLabel('Comment on line 2').fill('Multiply:\nnet * (1 + tax).')
      await page.getByRole('button', { name: 'Add comment' }).click()
      await code.getByRole('region', { name: 'Your comment on line 2' }).waitFor()
      await code.getByRole('button', { name: 'Comment', exact: true }).click()
      await code.getByLabel('Line', { exact: true }).fill('77')
      await code.getByLabel('Comment', { exact: true }).fill('Is this used?')
      await code.getByRole('button', { name: 'Add comment' }).click()
      await code.getByText('This line is not in the diff.').waitFor()
      await code.getByLabel('Line', { exact: true }).fill('3')
      await code.getByRole('button', { name: 'Add comment' }).click()
      await code.getByRole('region', { name: 'Your comment on line 3' }).waitFor()
      await accessible(page)
      await fits(page)

      // Files as a tree; one is ticked, which folds it and survives a reload.
      await page.getByRole('button', { name: '15 files' }).click()
      await page.locator('summary', { hasText: 'pages' }).waitFor()
      await accessible(page)
      await page.getByRole('button', { name: '15 files' }).click()
      const other = file(page, 'src/pages/page-0.ts')
      await other.getByLabel('Viewed').check()
      await page.getByText('1 of 15 viewed').waitFor()
      await page.reload()
      await page.getByText('1 of 15 viewed').waitFor()
      expect(await other.getByRole('button', { expanded: false }).count()).toBe(1)
      await code.getByRole('region', { name: 'Your comment on line 2' }).waitFor()

      await page.getByRole('button', { name: 'Reject with 2 comments' }).click()
      await page.getByRole('dialog').getByText('Is this used?').waitFor()
      await page.getByLabel('Summary (optional)').fill('Nearly.')
      await accessible(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      const answered = await until(async () => {
        const ask = await dashboard.owner.get<Answered>(`/api/asks/${id}`)
        return ask.status === 'answered' ? ask : null
      })
      expect(answered.answer).toEqual({
        outcome: 'reject',
        reason: [
          'Nearly.',
          'src/shop.ts:2\n> export const price = (net: number) => net + tax\nMultiply:\nnet * (1 + tax).',
          'src/shop.ts:3\n> export const free = 0\nIs this used?',
        ].join('\n\n'),
      })

      const again = await propose(many.replace('net + tax', 'net * (1 + tax)'))
      await page.goto(`${dashboard.server.address}/asks/${again.id}`)
      await page.getByRole('button', { name: 'Changes since your review' }).click()
      const since = page.getByRole('region', { name: 'Changes since your review' })
      await since.getByText('Multiply:').waitFor()
      await since.locator('tr.diff-removed', { hasText: 'net + tax' }).first().waitFor()
      await since.locator('tr.diff-added', { hasText: 'net * (1 + tax)' }).first().waitFor()
      expect(await since.getByRole('region', { name: 'src/pages/page-0.ts' }).count()).toBe(0)
      await accessible(page)
      await fits(page)
      await page.getByRole('button', { name: 'Show the whole change' }).click()
      await file(page, 'src/pages/page-0.ts').waitFor()
      await dashboard.owner.post(`/api/asks/${again.id}/answer`, { outcome: 'reject' })
      expect(complaints).toEqual([])
    },
  )
})
