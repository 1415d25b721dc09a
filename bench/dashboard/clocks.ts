import type { Page } from 'playwright-core'

/** Offset between `performance` of a page and ours; both are compared with the system clock. */
export async function aheadOfUs(page: Page): Promise<number> {
  const theirs = await page.evaluate(aheadOfTheMachine)
  return theirs - aheadOfTheMachine()
}

/** Also runs in the page, so it must be self-contained. */
function aheadOfTheMachine(): number {
  const began = Date.now()
  let ticked = began
  while (ticked === began) ticked = Date.now()
  return performance.timeOrigin + performance.now() - ticked
}

export const now = (): number => performance.timeOrigin + performance.now()
