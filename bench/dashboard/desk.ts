import type { BrowserContext, Page } from 'playwright-core'
import { ensureBrowser } from '../../scripts/lib/browser.mjs'
import { openBrowser } from '../../test/support/browser.ts'
import { openHouse, type House } from '../acp/house.ts'

type Id = { id: string }

/** The built server with an inbox that has something in it, and a real browser in front of it. */
export type Desk = AsyncDisposable & {
  readonly house: House
  readonly address: string
  /** A browser that was never here: nothing cached. Signed in, or a stranger. */
  visit(who: 'owner' | 'stranger'): Promise<Visit>
  ask(title: string, subject: object): Promise<string>
}
export type Visit = AsyncDisposable & { readonly page: Page; readonly context: BrowserContext }

const viewport = { width: 1280, height: 800 }

export async function openDesk(folder: string): Promise<Desk> {
  await using stack = new AsyncDisposableStack()
  const house = stack.use(await openHouse(folder))
  await ensureBrowser()
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const given = { protocolMode: 'mcp', workspaceRoot: house.workspace, agent: 'porter', prompt: 'Tidy the timetable' }
  const session = await house.call<Id>('POST', '/api/sessions', given)
  const ask = async (title: string, subject: object) =>
    (await house.call<Id>('POST', `/api/sessions/${session.id}/asks`, { title, subject })).id
  for (let number = 1; number <= 12; number += 1) await ask(`Run check ${number}`, commandOf(house, number))
  const { url } = await house.call<{ url: string }>('POST', '/api/login-links', {})
  const { origin } = new URL(url)
  const signedIn = await signIn(await browser.newContext(), url)
  const kept = stack.move()
  return {
    house,
    address: origin,
    async visit(who) {
      const context = await browser.newContext({ viewport, ...(who === 'owner' && { storageState: signedIn }) })
      return { page: await context.newPage(), context, [Symbol.asyncDispose]: () => context.close() }
    },
    ask,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const commandOf = ({ workspace }: House, number: number) => ({
  kind: 'command',
  command: `npm run check -- --part ${number}`,
  cwd: workspace,
})

async function signIn(context: BrowserContext, url: string) {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForURL(`${new URL(url).origin}/`)
  const state = await context.storageState({ indexedDB: true })
  await context.close()
  return state
}
