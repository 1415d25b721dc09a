import type { Page } from 'playwright-core'

export type Layout = {
  /** What is wrong: text cut off, things on top of each other, something that scrolls sideways. Empty if all is well. */
  faults: string[]
  /** The blocks that the style sheet places, as `name from+width`. Fonts of the machine do not change them. */
  blocks: string[]
}

/** Looks at the page as it is laid out now. */
export const layoutOf = (page: Page): Promise<Layout> => page.evaluate(look)

/** Runs in the page, so it stands alone. */
function look(): Layout {
  const room = document.documentElement.clientWidth
  const named = (one: Element): string => {
    const words = (one.getAttribute('aria-label') ?? one.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
    return `${one.tagName.toLowerCase()} “${words.slice(0, 60)}”`
  }
  const isSeen = (one: Element) => {
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    // Text for screen readers is in a box of one pixel.
    for (let at: Element | null = one; at; at = at.parentElement)
      if (at.clientWidth === 1 && getComputedStyle(at).position === 'absolute') return false
    return true
  }
  /** What is left of a box within the frames around it; null if nothing is. */
  const visiblePart = (box: DOMRect, within: Element): DOMRect | null => {
    let { left, right, top, bottom } = box
    for (let frame: Element | null = within; frame && frame !== document.body; frame = frame.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(frame)
      const edge = frame.getBoundingClientRect()
      if (overflowX !== 'visible') [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)]
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)]
    }
    return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : null
  }
  /** Code, terminals and charts have frames of their own to scroll in. */
  const frames = '[role=region][tabindex], pre, code, textarea, .xterm, .diff, svg, [role=log], table'
  const faults: string[] = []

  if (document.documentElement.scrollWidth > room)
    faults.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} in ${room}`)

  type Piece = { at: Element; box: DOMRect; layer: Element | null }
  const pieces: Piece[] = []
  /** What stays in place over the rest is meant to cover it. */
  const layerOf = (one: Element | null): Element | null => {
    for (let at = one; at; at = at.parentElement)
      if (['fixed', 'sticky', 'absolute'].includes(getComputedStyle(at).position)) return at
    return null
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    const at = text.parentElement
    if ((text.textContent ?? '').trim() === '' || !at || !isSeen(at) || at.closest('script, style, option')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1)
    if (at.closest(frames) === null) {
      for (const box of boxes) {
        // The nearest ancestor that hides what does not fit into it.
        for (let frame: Element | null = at; frame && frame !== document.body; frame = frame.parentElement) {
          const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(frame)
          if (overflowX === 'visible') continue
          if (overflowX === 'auto' || overflowX === 'scroll') break
          const edge = frame.getBoundingClientRect()
          const isCut = box.right > edge.right + 1.5 || box.left < edge.left - 1.5
          if (isCut && textOverflow !== 'ellipsis' && webkitLineClamp === 'none') faults.push(`cut off: ${named(at)}`)
          break
        }
        const holder = at.closest('button, a, [role=tab], th, dt, dd, label')
        const edge = holder?.getBoundingClientRect()
        if (holder && edge && holder.tagName !== 'A' && box.right > edge.right + 1.5)
          if (getComputedStyle(at).textOverflow !== 'ellipsis') faults.push(`wider than its box: ${named(holder)}`)
      }
      // Labels of controls are short enough to be read in full.
      const control = at.closest('button, [role=tab], label, nav[aria-label=Places] a')
      if (control && at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).textOverflow === 'ellipsis')
        faults.push(`shortened: ${named(control)}`)
    }
    for (const box of boxes) {
      const part = visiblePart(box, at)
      if (part) pieces.push({ at, box: part, layer: layerOf(at) })
    }
  }
  for (const at of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    const box = at.getBoundingClientRect()
    if (isSeen(at) && box.width > 2) pieces.push({ at, box, layer: layerOf(at) })
  }

  const enough = 3
  for (const [index, one] of pieces.entries()) {
    if (one.at.closest('.xterm, svg')) continue
    for (const other of pieces.slice(index + 1)) {
      if (one.layer !== other.layer || one.at.contains(other.at) || other.at.contains(one.at)) continue
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      if (across > enough && down > enough) faults.push(`on top of each other: ${named(one.at)} and ${named(other.at)}`)
    }
  }

  for (const one of document.querySelectorAll('main *, nav')) {
    if (!isSeen(one) || one.closest(frames)) continue
    const { overflowX } = getComputedStyle(one)
    if ((overflowX === 'auto' || overflowX === 'scroll') && one.scrollWidth > one.clientWidth + 1)
      faults.push(`scrolls sideways: ${named(one)}`)
  }

  const blocks: string[] = []
  const wanted =
    'nav, main, main header, main section[aria-label], main article, main aside, main [role=log], main table'
  for (const one of document.querySelectorAll(wanted)) {
    const { left, width } = one.getBoundingClientRect()
    if (!isSeen(one) || width < 40) continue
    const label = one.getAttribute('aria-label') ?? ''
    const name = `${one.getAttribute('role') ?? one.tagName.toLowerCase()}${label === '' ? '' : ` “${label}”`}`
    const told = `${name} ${Math.round(left)}+${Math.round(width)}`
    if (!blocks.includes(told)) blocks.push(told)
  }
  return { faults: [...new Set(faults)], blocks }
}
