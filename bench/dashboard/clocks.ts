import type { Page } from 'playwright-core'

/** By how much `performance` of a page is ahead of ours; both are compared with the clock of the machine. */
export async function aheadOfUs(page: Page): Promise<number> {
  const theirs = await page.evaluate(aheadOfTheMachine)
  return theirs - aheadOfTheMachine()
}

/** Runs in the page too, so it stands alone. */
function aheadOfTheMachine(): number {
  const began = Date.now()
  let ticked = began
  while (ticked === began) ticked = Date.now()
  return performance.timeOrigin + performance.now() - ticked
}

export const now = (): number => performance.timeOrigin + performance.now()
