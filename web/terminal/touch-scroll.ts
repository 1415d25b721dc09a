type ScrollTarget = {
  readonly rows: number
  readonly buffer: { readonly active: { readonly viewportY: number; readonly baseY: number } }
  scrollLines(amount: number): void
}

/** xterm scrolls by wheel only. This adds touch; at either end the page scrolls. */
export function scrollByTouch(host: HTMLElement, terminal: ScrollTarget, signal: AbortSignal): void {
  let lastY: number | null = null
  let rest = 0
  const begin = ({ touches }: TouchEvent) => {
    lastY = touches.length === 1 ? (touches[0]?.clientY ?? null) : null
    rest = 0
  }
  const move = (event: TouchEvent) => {
    const y = event.touches[0]?.clientY
    if (lastY === null || y === undefined) return
    const { viewportY, baseY } = terminal.buffer.active
    const moved = lastY - y
    lastY = y
    if (moved < 0 ? viewportY === 0 : viewportY >= baseY) return
    event.preventDefault()
    const row = host.clientHeight / terminal.rows
    rest += moved / Math.max(1, row)
    const lines = Math.trunc(rest)
    rest -= lines
    if (lines !== 0) terminal.scrollLines(lines)
  }
  host.addEventListener('touchstart', begin, { passive: true, signal })
  host.addEventListener('touchmove', move, { passive: false, signal })
}
