import type { Page } from 'playwright-core'

export type Focus = {
  /** Whether it is on nothing at all. */
  lost: boolean
  name: string
  /** The nearest part of the page: its landmark, or a dialog. */
  within: string
  /** Whether one sees where it is. */
  seen: boolean
}

/** Where the keyboard is. */
export const focusOf = (page: Page): Promise<Focus> =>
  page.evaluate(() => {
    const at = document.activeElement
    const part = at?.closest('[role=dialog], nav, main, [role=region]')
    const style = at && getComputedStyle(at)
    const ring = style !== null && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1
    const box = at?.getBoundingClientRect()
    // What is picked by a label that stands for it shows it there.
    const label = at?.closest('label')
    const labelRing = label ? getComputedStyle(label).outlineStyle !== 'none' : false
    return {
      lost: at === null || at === document.body,
      name: (at?.getAttribute('aria-label') ?? at?.textContent ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 80),
      within: part?.getAttribute('role') ?? part?.tagName.toLowerCase() ?? '',
      seen: (ring || labelRing) && (labelRing || (box !== undefined && box.width > 0 && box.height > 0)),
    }
  })

/** Every place Tab comes by, once around from where the keyboard is. */
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

/** Tab, until it is on what is named so. */
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

/** One key after the other, as a hand does it. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
