import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import type { Detection, TerminalHarness } from '../../support/terminal-harness.ts'
import { until } from '../../support/until.ts'
import type { LibraryCase } from './cases.ts'

/** Gives an answer to a prompt that is shown; returns what its sender is told. */
export type Surface = (id: string, prompt: Detection, given: LibraryCase) => Promise<string>

export const byRest =
  (harness: TerminalHarness): Surface =>
  async (id, { promptId, isDangerous }, { text, secret }) => {
    const given = { expectPrompt: promptId, secret: secret === true, confirmed: isDangerous }
    return (await harness.type(id, text, given)).status
  }

export const byCommand =
  ({ server }: TerminalHarness): Surface =>
  async (id, { promptId, isDangerous }, { text }) => {
    const args = text === '' ? ['keys', id, 'enter'] : ['answer', id, text, '--expect', promptId ?? '']
    if (text === '') await server.cli('terminals', 'show', id)
    const { stdout, stderr } = await server.cli('terminals', ...args, ...(isDangerous ? ['--yes'] : []), '--json')
    return /"status": ?"(\w+)"/.exec(stdout)?.[1] ?? /"code": ?"(\w+)"/.exec(stderr)?.[1] ?? `${stdout}${stderr}`
  }

const told: Readonly<Record<string, string>> = {
  'Typed; the program accepted it.': 'delivered',
  'Typed, but the program may not have accepted it. Check the terminal.': 'unverified',
}

/** Taps the answer if the page offers it, and writes it otherwise; in several pages of one browser. */
export async function byPage(
  harness: TerminalHarness,
  context: { skip: (note?: string) => never },
  pages: number,
): Promise<{ answers: Surface[] } & AsyncDisposable> {
  const browser = await openBrowser(context)
  const profile = await browser.newContext()
  const first = await profile.newPage()
  const { url } = await harness.owner.post<{ url: string }>('/api/login-links', {})
  await first.goto(url)
  await first.getByRole('heading', { name: 'Inbox' }).waitFor()
  const others = Array.from({ length: pages - 1 }, () => profile.newPage())
  return {
    answers: [first, ...(await Promise.all(others))].map((page) => inPage(harness, page)),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

const inPage =
  (harness: TerminalHarness, page: Page): Surface =>
  async (id, _prompt, { text }) => {
    await page.goto(`${harness.server.address}/terminals/${id}`)
    await page.locator('#question').waitFor()
    const status = page.locator('#panel [role=status]')
    const entry = page.locator('#choices').getByRole('button', { name: text === '' ? /^Enter/ : text, exact: true })
    const isOffered = (await entry.count()) > 0
    if (!isOffered) await page.locator('#text').fill(text)
    const send = async () => (isOffered ? entry.first().click() : page.locator('#text').press('Enter'))
    await send()
    // A dangerous one takes another tap, and not a double tap.
    const armed = page.locator('#panel [data-armed]')
    if ((await armed.count()) > 0) {
      await pause(600)
      if (isOffered) await armed.first().click()
      else await send()
    }
    const said = await until(async () => {
      const words = await status.innerText()
      return words === '' || words === 'Typing…' ? null : words
    })
    return told[said] ?? said
  }
