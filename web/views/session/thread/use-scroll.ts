import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** So near to the end counts as at the end. */
const near = 80
/** So near to the beginning, older ones are asked for. */
const ahead = 600
/** So long after a turn of the wheel or a touch, scrolling is a person's. */
const byHandMs = 400
const byHand = ['wheel', 'touchmove', 'keydown']

type Scrolling = {
  /** What scrolls; its last child holds the entries. */
  frame: RefObject<HTMLDivElement | null>
  atEnd: boolean
  /** How many came since the end went out of sight. */
  behind: number
  toEnd: () => void
}

/** Stays at the end while one is there, and else in place, whatever comes in above or grows. */
export function useScroll(keys: readonly string[], loadOlder: () => void): Scrolling {
  const frame = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [seen, setSeen] = useState<string | undefined>(undefined)
  const keeper = useRef<Keeper | null>(null)
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

type Keeper = { settle(): void; toEnd(): void; stop(): void }

function keepPlace(box: HTMLElement, moved: (atEnd: boolean, fromTop: number) => void): Keeper {
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
    // Where what is shown became shorter or longer, it was not a person who scrolled.
    if (stuck && box.scrollHeight !== height && Date.now() - touchedAt > byHandMs) return settle()
    look()
    moved(stuck, box.scrollTop)
  }
  const onTouch = () => (touchedAt = Date.now())
  // What somebody unfolds stays under their finger.
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
