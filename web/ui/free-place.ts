export type Box = { top: number; bottom: number; left: number; right: number }

const gap = 8

/** How far above the bottom of the window something of this size covers none of these boxes; at the bottom if nowhere. */
export function freeBottom(window: { height: number; rest: number }, own: Box, boxes: readonly Box[]): number {
  const height = own.bottom - own.top
  const beside = boxes.filter(({ left, right, top, bottom }) => left < own.right && right > own.left && bottom > top)
  let at = window.rest
  for (;;) {
    const [low, high] = [window.height - at, window.height - at - height]
    if (high < gap) return window.rest
    const inTheWay = beside.find(({ top, bottom }) => top < low && bottom > high)
    if (!inTheWay) return at
    at = window.height - inTheWay.top + gap
  }
}
