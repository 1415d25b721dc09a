import type { Page } from 'playwright-core'
import { aheadOfUs, now } from './clocks.ts'
import type { DashboardHarness } from './harness.ts'
import { notePresses } from './in-page.ts'

/** A page at the inbox that records when Approve is pressed. */
export async function openAnswering(
  dashboard: DashboardHarness,
): Promise<AsyncDisposable & { readonly page: Page; ahead: number }> {
  const visit = await dashboard.visit('owner')
  const { page } = visit
  await page.addInitScript(notePresses)
  await page.goto(`${dashboard.address}/`)
  await page.locator('[data-key]').first().waitFor()
  return { page, ahead: await aheadOfUs(page), [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose]() }
}

/** Time from pressing Approve on a new ask until the waiting agent has the answer. */
export async function pressed(
  dashboard: DashboardHarness,
  page: Page,
  ahead: number,
  by: 'click' | 'key',
): Promise<number> {
  const { id, title, answered } = await held(dashboard)
  await page.locator(`[data-key="ask:${id}"] a`).click()
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
  const approve = page.getByRole('group', { name: 'Answer' }).getByRole('button', { name: 'Approve' })
  if (by === 'click') await approve.click()
  else {
    await approve.and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('a')
  }
  const arrived = await answered
  return arrived - ((await page.evaluate(() => globalThis.pressedAt ?? Number.NaN)) - ahead)
}

/** The same answer given by a program, without a page. */
export async function posted(dashboard: DashboardHarness): Promise<number> {
  const { id, answered } = await held(dashboard)
  const sent = now()
  await dashboard.server.call('POST', `/api/asks/${id}/answer`, { outcome: 'approve' })
  return (await answered) - sent
}

let made = 0

async function held(dashboard: DashboardHarness) {
  const title = `Build part ${(made += 1)}`
  const id = await dashboard.ask(title, {
    kind: 'command',
    command: `make part-${made}`,
    cwd: dashboard.server.workspace,
  })
  return { id, title, answered: heldUntil(dashboard, id) }
}

async function heldUntil({ server }: DashboardHarness, id: string): Promise<number> {
  const { status } = await server.call<{ status: string }>('GET', `/api/asks/${id}?wait=60`)
  const arrived = now()
  if (status === 'open') throw new Error(`the ask ${id} was still open after a minute`)
  return arrived
}
