import { request } from 'node:http'
import type { Page } from 'playwright-core'
import type { DashboardHarness } from './harness.ts'
import { watchInbox, watchPainted } from './in-page.ts'

export type Load = { ms: number; scripts: string[] }

/** Until the first inbox item is shown and a key moves to the next. */
export const loadInbox = (dashboard: DashboardHarness): Promise<Load> => load(dashboard, 'owner', watchInbox)

/** Until the signed-out page is painted. */
export const loadSignedOut = (dashboard: DashboardHarness): Promise<Load> => load(dashboard, 'stranger', watchPainted)

async function load(dashboard: DashboardHarness, who: 'owner' | 'stranger', watch: () => void): Promise<Load> {
  await using visit = await dashboard.visit(who)
  const { page } = visit
  const scripts = scriptsOf(page)
  await page.addInitScript(watch)
  await page.goto(`${dashboard.address}/`)
  const ready = await page.waitForFunction(() => globalThis.readyAfter)
  return { ms: Number(await ready.jsonValue()), scripts: [...scripts] }
}

function scriptsOf(page: Page): Set<string> {
  const scripts = new Set<string>()
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.add(new URL(response.url()).pathname)
  })
  return scripts
}

/** As the server sends it, gzipped. */
export async function gzippedKb({ address }: DashboardHarness, scripts: readonly string[]): Promise<number> {
  const sizes = await Promise.all(scripts.map((path) => sizeOf(`${address}${path}`)))
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

const sizeOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { agent: false, headers: { 'accept-encoding': 'gzip' } }, (response) => {
      if (response.statusCode !== 200 || response.headers['content-encoding'] !== 'gzip')
        return reject(new Error(`${url} answered ${response.statusCode}, not gzipped`))
      let size = 0
      response.on('data', (chunk: Buffer) => (size += chunk.length))
      response.on('end', () => resolve(size))
    })
      .once('error', reject)
      .end()
  })
