import { useLayoutEffect, useState, type RefObject } from 'react'

/** Distance from the screen at which elements are rendered. */
const margin = '1200px 0px'

type NearListener = (near: boolean) => void
const told = new Map<Element, NearListener>()
let observer: IntersectionObserver | undefined

// One observer for all: there can be a thousand elements. scrollMargin covers lists that scroll inside the page.
const shared = (): IntersectionObserver =>
  (observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting)
    },
    { rootMargin: margin, scrollMargin: margin },
  ))

/** Whether an element is or was near the screen: rendered elements stay. */
export function useWasNear(element: RefObject<Element | null>, atFirst: boolean): boolean {
  const near = useNear(element, atFirst)
  const [reached, setReached] = useState(near)
  if (near && !reached) setReached(true)
  return near || reached
}

/** Whether an element is on or near the screen. */
export function useNear(element: RefObject<Element | null>, atFirst: boolean): boolean {
  const [near, setNear] = useState(atFirst)
  useLayoutEffect(() => {
    const watched = element.current
    if (watched === null) return undefined
    told.set(watched, setNear)
    shared().observe(watched)
    return () => {
      shared().unobserve(watched)
      told.delete(watched)
    }
  }, [element])
  return near
}
