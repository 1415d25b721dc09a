import { useLayoutEffect, useState, type RefObject } from 'react'

/** So far around the screen things are drawn already. */
const margin = '1200px 0px'

type Told = (near: boolean) => void
const told = new Map<Element, Told>()
let observer: IntersectionObserver | undefined

// One for all of them: there can be a thousand. Also counts for lists that scroll inside the page (scrollMargin).
const shared = (): IntersectionObserver =>
  (observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting)
    },
    { rootMargin: margin, scrollMargin: margin },
  ))

/** Whether an element is or once was near the screen: what was drawn stays. */
export function useReached(element: RefObject<Element | null>, atFirst: boolean): boolean {
  const near = useNear(element, atFirst)
  const [reached, setReached] = useState(near)
  if (near && !reached) setReached(true)
  return near || reached
}

/** Whether an element is on the screen or will soon be. */
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
