import type { Page } from 'playwright-core'
import { aheadOfUs, now } from './clocks.ts'
import type { Desk } from './desk.ts'
import { notePresses } from './in-page.ts'

/** A page at the inbox that notes when Approve is pressed. */
export async function openAnswering(desk: Desk): Promise<AsyncDisposable & { readonly page: Page; ahead: number }> {
  const visit = await desk.visit('owner')
  const { page } = visit
  await page.addInitScript(notePresses)
  await page.goto(`${desk.address}/`)
  await page.locator('[data-key]').first().waitFor()
  return { page, ahead: await aheadOfUs(page), [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose]() }
}

/** A person goes to a new ask and presses Approve: from the press until the agent that waits for it has the answer. */
export async function pressed(desk: Desk, page: Page, ahead: number, by: 'click' | 'key'): Promise<number> {
  const { id, title, answered } = await held(desk)
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

/** The same held answer where a program gives it, without a page. */
export async function posted(desk: Desk): Promise<number> {
  const { id, answered } = await held(desk)
  const sent = now()
  await desk.house.call('POST', `/api/asks/${id}/answer`, { outcome: 'approve' })
  return (await answered) - sent
}

let made = 0

async function held(desk: Desk) {
  const title = `Build part ${(made += 1)}`
  const id = await desk.ask(title, { kind: 'command', command: `make part-${made}`, cwd: desk.house.workspace })
  return { id, title, answered: heldUntil(desk, id) }
}

async function heldUntil({ house }: Desk, id: string): Promise<number> {
  const { status } = await house.call<{ status: string }>('GET', `/api/asks/${id}?wait=60`)
  const arrived = now()
  if (status === 'open') throw new Error(`the ask ${id} was still open after a minute`)
  return arrived
}
