import { chromium, type Browser } from 'playwright-core'
import { findBrowser, missingBrowser } from '../../scripts/lib/browser.mjs'

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * A real, headless browser with its own profile. Pass the test's context, and if no browser is available the
 * test is skipped with the reason: `it('…', async (context) => { await using browser = await openBrowser(context) })`.
 */
export async function openBrowser(context?: { skip: (note?: string) => never }): Promise<Browser> {
  const executablePath = findBrowser()
  if (!executablePath) {
    context?.skip(missingBrowser)
    throw new Error(missingBrowser)
  }
  const asRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: !asRoot, args: quiet })
}
