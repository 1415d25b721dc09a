import { useLayoutEffect, useState, type RefObject } from 'react'

/** Width of an element, in steps; null until it is mounted, which is before the first paint. */
export function useWidth(element: RefObject<Element | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const watched = element.current
    if (watched === null) return undefined
    const measure = (): void => setWidth(Math.floor(watched.getBoundingClientRect().width / 20) * 20)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return width
}
