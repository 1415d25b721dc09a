import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../conformance/prompt-agent.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SIGNALBOX_PICTURES']
type Item = { id: string; text: string; status: string; attachments?: { name: string }[]; links?: string[] }

describe('files in prompts', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  }, 60_000)
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const queueOf = async (id: string) =>
    (await dashboard.owner.get<{ items: Item[] }>(`/api/sessions/${id}/queue`)).items

  it.for<Size>(['desktop', 'phone'])(
    'B17 chosen, pasted and dropped, queued and reordered on a %s',
    async (size, context) => {
      const { id } = await dashboard.start('/stall forever')
      await using opened = await dashboard.open(context, { path: `/sessions/${id}`, size })
      const { page, complaints } = opened
      const look = async (name: string) => {
        if (pictures) await page.screenshot({ path: join(pictures, `${size}-${name}.png`) })
      }
      const field = page.getByRole('textbox', { name: 'Message the agent' })
      await field.fill('/say one')
      await page.getByLabel('Files to attach').setInputFiles([
        { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n') },
        { name: 'screen.png', mimeType: 'image/png', buffer: png },
      ])
      const files = page.getByRole('list', { name: 'Attached files' }).first()
      await files.getByText('8 bytes').waitFor()
      await look('attached')
      await page.getByRole('button', { name: 'Remove notes.md' }).click()
      await field.evaluate((element) => {
        const data = new DataTransfer()
        data.items.add(new File(['dropped\n'], 'dropped.txt', { type: 'text/plain' }))
        element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
        const pasted = new DataTransfer()
        pasted.items.add(new File(['pasted\n'], 'pasted.txt', { type: 'text/plain' }))
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }))
      })
      await until(async () => (await files.getByText(' bytes').count()) === 3, { what: 'three uploaded files' })
      await field.press('Control+Enter')
      const named = (item: Item) => item.attachments?.map(({ name }) => name)
      await until(async () => (await queueOf(id)).some((item) => named(item)?.length === 3), { what: 'the message' })
      expect(named((await queueOf(id)).at(-1)!)).toEqual(['screen.png', 'dropped.txt', 'pasted.txt'])

      await field.fill('/say two @READ')
      await page.getByRole('list', { name: 'Files', exact: true }).getByText('README.md').click()
      await until(async () => (await field.inputValue()) === '/say two @README.md ', { what: 'the whole name' })
      await field.press('Control+Enter')
      const queued = page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem')
      await until(async () => (await queued.count()) === 2, { what: 'two queued messages' })
      expect((await queueOf(id)).at(-1)?.links).toEqual(['README.md'])
      await queued.nth(1).getByRole('button', { name: 'Change' }).click()
      await look('queue')
      await page.getByRole('menuitem', { name: 'Move up' }).click()
      await until(async () => (await queued.first().innerText()).includes('/say two'), { what: 'the other order' })
      await queued.first().getByRole('button', { name: 'Change' }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/say zwei')
      await page.getByRole('button', { name: 'Save' }).click()
      await queued.first().getByText('/say zwei').waitFor()
      await dashboard.owner.post(`/api/sessions/${id}/turn/cancel`)
      const image = page.getByRole('img', { name: 'screen.png' })
      await image.waitFor()
      await until(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth === 1))
      await look('shown')
      expect(complaints).toEqual([])
    },
  )
})
