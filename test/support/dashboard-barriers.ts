import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Between two colours there is no contrast to judge. An inherited colour follows its parent's, level by level. */
export const endTransitions = () => {
  for (let level = 0; level < 100; level += 1) {
    const running = document.getAnimations().filter((one) => one instanceof CSSTransition)
    if (running.length === 0) return
    for (const one of running) one.finish()
  }
}

/** Dark mode changes only colours. */
export async function barriers(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  // Half a megabyte of script, which is still there after the view before.
  const isLoaded = await page.evaluate(() => 'axe' in window)
  const given = isLoaded ? { page, axeSource: ';' } : { page }
  const axe = new AxeBuilder(given).setLegacyMode(true).options({
    resultTypes: ['violations'],
    ...(scheme === 'dark' && { runOnly: ['color-contrast', 'link-in-text-block'] }),
  })
  const { violations } = await axe.analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary = '' }) =>
          `${id}: ${html.slice(0, 300)} (${failureSummary.replaceAll('\n', ' ').slice(0, 300)})`,
      ),
    )
}

/** Elements that make the page wider than the window; scrollable ones may. */
export const overflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const room = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= room) return []
    const wide = [...document.body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > room + 1)
    return [
      `${document.documentElement.scrollWidth} of ${room}`,
      ...wide.slice(-3).map((one) => one.outerHTML.slice(0, 200)),
    ]
  })
