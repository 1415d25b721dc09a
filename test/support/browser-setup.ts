import { ensureBrowser } from '../../scripts/lib/browser.mjs'

/** Gets the browser for browser tests that are run by name, without the preparation of a whole `npm test`. */
export async function setup(): Promise<void> {
  await ensureBrowser()
}
