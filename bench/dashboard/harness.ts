import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { ensureBrowser } from '../../scripts/lib/browser.mjs'
import { openBrowser } from '../../test/support/browser.ts'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'

type Id = { id: string }

/** The built server with a filled inbox, and a real browser. */
export type DashboardHarness = AsyncDisposable & {
  readonly server: ServerHarness
  readonly address: string
  /** A fresh browser with an empty cache, signed in or not. */
  visit(who: 'owner' | 'stranger', more?: BrowserContextOptions): Promise<Visit>
  ask(title: string, subject: object): Promise<string>
}
export type Visit = AsyncDisposable & { readonly page: Page; readonly context: BrowserContext }

const viewport = { width: 1280, height: 800 }

export async function openDashboardHarness(folder: string): Promise<DashboardHarness> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await openServerHarness(folder))
  await ensureBrowser()
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const given = { protocolMode: 'mcp', workspaceRoot: server.workspace, agent: 'porter', prompt: 'Tidy the timetable' }
  const session = await server.call<Id>('POST', '/api/sessions', given)
  const ask = async (title: string, subject: object) =>
    (await server.call<Id>('POST', `/api/sessions/${session.id}/asks`, { title, subject })).id
  for (let number = 1; number <= 12; number += 1) await ask(`Run check ${number}`, commandOf(server, number))
  const { url } = await server.call<{ url: string }>('POST', '/api/login-links', {})
  const { origin } = new URL(url)
  const signedIn = await signIn(await browser.newContext(), url)
  const kept = stack.move()
  return {
    server,
    address: origin,
    async visit(who, more = {}) {
      const context = await browser.newContext({
        viewport,
        ...more,
        ...(who === 'owner' && { storageState: signedIn }),
      })
      return { page: await context.newPage(), context, [Symbol.asyncDispose]: () => context.close() }
    },
    ask,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const commandOf = ({ workspace }: ServerHarness, number: number) => ({
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
