import { ensureBrowser } from '../../scripts/lib/browser.mjs'

/** Browser tests asked for by name, without the preparation of a whole `npm test`, get their browser here. */
export async function setup(): Promise<void> {
  await ensureBrowser()
}
