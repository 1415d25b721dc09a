import { useLayoutEffect, type RefObject } from 'react'
import { freeBottom } from './free-place.ts'

/** Rows of buttons, and fields to write in. They have this attribute. */
export const barAttribute = { 'data-bar': '' }

/** Keeps an element at the bottom edge of the window, above the rows of buttons that it would cover. */
export function useClearOfBars(element: RefObject<HTMLElement | null>, shown: number): void {
  useLayoutEffect(() => {
    if (shown === 0) return undefined
    let frame = 0
    const place = () => {
      frame = 0
      const own = element.current
      if (!own) return
      const bars = [...document.querySelectorAll('[data-bar]')].map((bar) => bar.getBoundingClientRect())
      const rest = Number.parseFloat(getComputedStyle(own).getPropertyValue('--rest')) || 16
      own.style.bottom = `${freeBottom({ height: innerHeight, rest }, own.getBoundingClientRect(), bars)}px`
    }
    const soon = () => {
      frame ||= requestAnimationFrame(place)
    }
    place()
    const size = new ResizeObserver(soon)
    if (element.current) size.observe(element.current)
    const changes = new MutationObserver(soon)
    changes.observe(document.body, { childList: true, subtree: true })
    addEventListener('scroll', soon, { capture: true, passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      size.disconnect()
      changes.disconnect()
      removeEventListener('scroll', soon, { capture: true })
      removeEventListener('resize', soon)
    }
  }, [element, shown])
}
