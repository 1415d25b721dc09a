/** How long a pressed element may take to disappear. */
const patienceMs = 1000

/**
 * An answered item disappears together with the focus. The focus moves to the item now shown, so that Tab continues
 * from there.
 */
export function keepFocus(): void {
  const end = performance.now() + patienceMs
  const look = (now: number) => {
    if (document.activeElement !== null && document.activeElement !== document.body) {
      if (now < end) requestAnimationFrame(look)
      return
    }
    const place = document.getElementById('item') ?? document.getElementById('main')
    place?.focus({ preventScroll: true })
  }
  requestAnimationFrame(look)
}
