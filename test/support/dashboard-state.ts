import type { Page } from 'playwright-core'

/** All text of a page, in order, with absolute times. */
export const saidBy = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const main = document.querySelector('main')?.cloneNode(true)
    if (!(main instanceof HTMLElement)) return ''
    for (const time of main.querySelectorAll('time')) time.textContent = time.dateTime
    for (const block of main.querySelectorAll('li, p, h1, h2, h3, div, section, button, a')) block.append('\n')
    return (main.textContent ?? '').replaceAll(/[\s\n]+\n/g, '\n').trim()
  })

/** The paragraphs within `scrolling` that are on the screen now. */
export const inSight = (page: Page, scrolling: string): Promise<string[]> =>
  page.evaluate((selector) => {
    const frame = document.querySelector(selector)
    const { top, bottom } = frame?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
    return [...(frame?.querySelectorAll('p') ?? [])].flatMap((paragraph) => {
      const box = paragraph.getBoundingClientRect()
      return box.bottom > top && box.top < bottom ? [paragraph.textContent ?? ''] : []
    })
  }, scrolling)

/** A few at a time: fast, but not a flood. */
export async function manyTimes<T>(count: number, once: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  const width = 20
  for (let from = 0; from < count; from += width) {
    const batch = Array.from({ length: Math.min(width, count - from) }, (_, index) => once(from + index))
    results.push(...(await Promise.all(batch)))
  }
  return results
}
