import type { Page } from 'playwright-core'

export type Focus = {
  /** Whether nothing has the focus. */
  lost: boolean
  name: string
  /** The nearest part of the page: its landmark, or a dialog. */
  within: string
  /** Whether the focus is visible. */
  seen: boolean
}

/** Where the focus is. */
export const focusOf = (page: Page): Promise<Focus> =>
  page.evaluate(() => {
    const at = document.activeElement
    const part = at?.closest('[role=dialog], nav, main, [role=region]')
    const style = at && getComputedStyle(at)
    const ring = style !== null && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1
    const box = at?.getBoundingClientRect()
    // A control with a visible label shows the focus there.
    const label = at?.closest('label')
    const labelRing = label ? getComputedStyle(label).outlineStyle !== 'none' : false
    return {
      lost: at === null || at === document.body,
      name: (at?.getAttribute('aria-label') ?? at?.textContent ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 80),
      within: part?.getAttribute('role') ?? part?.tagName.toLowerCase() ?? '',
      seen: (ring || labelRing) && (labelRing || (box !== undefined && box.width > 0 && box.height > 0)),
    }
  })

/** Every Tab stop, once around from the current focus. */
export async function tabRound(page: Page, most = 80): Promise<Focus[]> {
  const round: Focus[] = []
  for (let count = 0; count < most; count += 1) {
    await page.keyboard.press('Tab')
    const focus = await focusOf(page)
    if (focus.lost) return round
    round.push(focus)
  }
  throw new Error(`Tab does not come around; last at ${JSON.stringify(round.slice(-5))}`)
}

/** Presses Tab until the named element has the focus. */
export async function tabTo(page: Page, name: RegExp, most = 60): Promise<Focus> {
  const passed: string[] = []
  for (let count = 0; count < most; count += 1) {
    await page.keyboard.press('Tab')
    const focus = await focusOf(page)
    if (name.test(focus.name)) return focus
    passed.push(focus.lost ? '(nothing)' : focus.name)
  }
  throw new Error(`Tab does not come to ${name}, but to ${passed.join(' | ')}`)
}

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
