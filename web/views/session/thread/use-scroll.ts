import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** This close to the end counts as the end. */
const near = 80
/** This close to the start, older messages are requested. */
const ahead = 600
/** Scrolling this soon after wheel or touch input is by a person. */
const byHandMs = 400
const byHand = ['wheel', 'touchmove', 'keydown']

type Scrolling = {
  /** The scrolling element; its last child holds the entries. */
  frame: RefObject<HTMLDivElement | null>
  atEnd: boolean
  /** New entries since the end left the screen. */
  behind: number
  toEnd: () => void
}

/** Stays at the end if it is there, otherwise keeps its place while content changes. */
export function useScroll(keys: readonly string[], loadOlder: () => void): Scrolling {
  const frame = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [seen, setSeen] = useState<string | undefined>(undefined)
  const keeper = useRef<ScrollKeeper | null>(null)
  const last = keys.at(-1)
  if (atEnd && seen !== last) setSeen(last)

  const onMoved = useEffectEvent((end: boolean, fromTop: number) => {
    setAtEnd(end)
    if (fromTop < ahead) loadOlder()
  })
  useEffect(() => {
    const box = frame.current
    if (!box) return undefined
    const own = keepPlace(box, onMoved)
    keeper.current = own
    return own.stop
  }, [])
  useLayoutEffect(() => keeper.current?.settle(), [keys])

  const toEnd = useCallback(() => keeper.current?.toEnd(), [])
  return { frame, atEnd, behind: atEnd ? 0 : keys.length - 1 - keys.lastIndexOf(seen ?? ''), toEnd }
}

type ScrollKeeper = { settle(): void; toEnd(): void; stop(): void }

function keepPlace(box: HTMLElement, moved: (atEnd: boolean, fromTop: number) => void): ScrollKeeper {
  const inside = box.lastElementChild
  let stuck = true
  let anchor: { element: Element; top: number } | null = null

  let height = 0
  let touchedAt = 0

  const look = () => {
    height = box.scrollHeight
    stuck = box.scrollHeight - box.scrollTop - box.clientHeight < near
    const edge = box.getBoundingClientRect().top
    const element = [...(inside?.children ?? [])].find((child) => child.getBoundingClientRect().bottom > edge)
    anchor = element ? { element, top: element.getBoundingClientRect().top } : null
  }
  const settle = () => {
    if (stuck) box.scrollTop = box.scrollHeight
    else if (anchor?.element.isConnected) box.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top
    height = box.scrollHeight
  }
  const onScroll = () => {
    // A changed height means the scroll was not by a person.
    if (stuck && box.scrollHeight !== height && Date.now() - touchedAt > byHandMs) return settle()
    look()
    moved(stuck, box.scrollTop)
  }
  const onTouch = () => (touchedAt = Date.now())
  // An unfolded element stays in place.
  const onPress = ({ target }: Event) => {
    if (!(target instanceof Element) || !target.closest('summary')) return
    look()
    stuck = false
  }
  const watch = new ResizeObserver(settle)
  watch.observe(box)
  if (inside) watch.observe(inside)
  box.addEventListener('scroll', onScroll, { passive: true })
  box.addEventListener('click', onPress, { capture: true })
  for (const name of byHand) box.addEventListener(name, onTouch, { passive: true })
  settle()
  return {
    settle,
    toEnd() {
      stuck = true
      settle()
      onScroll()
    },
    stop() {
      watch.disconnect()
      box.removeEventListener('scroll', onScroll)
      box.removeEventListener('click', onPress, { capture: true })
      for (const name of byHand) box.removeEventListener(name, onTouch)
    },
  }
}
