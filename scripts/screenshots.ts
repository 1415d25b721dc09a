// Makes the screenshots of the README and docs, with real agents, terminals and asks: `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { ensureBrowser } from './lib/browser.mjs'
import { root } from './lib/say.mjs'
import { makeScreenshotRepos } from './lib/screenshots-repos.ts'
import { startScreenshotServer, policyOf } from './lib/screenshots-server.ts'

type Shot = { name: string; path: string; phone?: true; dark?: true; ready(page: Page): Promise<unknown> }

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const folder = join(root, 'docs', 'screenshots')
mkdirSync(folder, { recursive: true })
await ensureBrowser()
using repos = makeScreenshotRepos()
await using shown = await startScreenshotServer(repos, fileURLToPath(import.meta.resolve('./lib/screenshots-agent.ts')))
await using browser = await openBrowser()

const inbox = (page: Page) => page.locator('[data-key]').nth(5).waitFor()
const diff = (page: Page) => page.locator('.diff [class*="diff-token-"]').first().waitFor()
const shots: readonly Shot[] = [
  {
    name: 'inbox',
    path: '/',
    ready: async (page) => {
      await inbox(page)
      await page.getByRole('group', { name: 'Answer' }).waitFor()
    },
  },
  { name: 'diff', path: `/asks/${shown.diffAsk}`, ready: diff },
  {
    name: 'session',
    path: `/sessions/${shown.session}`,
    ready: async (page) => {
      await page.getByRole('group', { name: 'Answer' }).waitFor()
      await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0))
      await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
      // The edit in view is drawn only now.
      await page.getByText('freeBlocks').first().waitFor()
    },
  },
  {
    name: 'terminal',
    path: `/terminals/${shown.terminal}`,
    dark: true,
    ready: async (page) => {
      await page.locator('.xterm-rows', { hasText: 'Drop 2 tables' }).waitFor()
      await page.getByRole('button', { name: /^n\b/i }).first().waitFor()
      await page.getByText('Why we think it is waiting').click()
    },
  },
  { name: 'settings', path: '/settings/policy', ready: backTest },
  { name: 'inbox-phone', path: '/', phone: true, ready: inbox },
  { name: 'diff-phone', path: `/asks/${shown.diffAsk}`, phone: true, ready: diff },
]

/** The policy of `depot`, back-tested on past asks. */
async function backTest(page: Page): Promise<void> {
  await page.getByLabel('Workspace').selectOption(repos.at('depot'))
  await page.getByLabel('Settings (JSON)').fill(policyOf('"npm test", "npm run types", "git status"'))
  await page.getByRole('button', { name: 'Back-test' }).click()
  await page.getByText('It would have answered').waitFor()
  await page.getByText('By rule').click()
  // Below the fixed header.
  await page.getByRole('heading', { name: 'The file' }).evaluate((heading) => {
    heading.style.scrollMarginTop = '5rem'
    heading.scrollIntoView()
  })
}

for (const { name, path, phone, dark, ready } of shots) {
  const context = await browser.newContext({
    viewport: phone ? sizes.phone : sizes.desktop,
    deviceScaleFactor: 2,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...(phone && { hasTouch: true, isMobile: true }),
  })
  const page = await context.newPage()
  const { address } = shown.server
  const { url } = await shown.server.api().post<{ url: string }>('/api/login-links', {})
  await page.goto(url)
  await page.waitForURL(`${address}/`)
  if (path !== '/') await page.goto(`${address}${path}`)
  await ready(page)
  await page.evaluate('document.fonts.ready.then(() => true)')
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
}
console.log(`Pictures are in ${folder}`)
