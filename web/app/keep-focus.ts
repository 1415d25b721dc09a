/** So long what was pressed may take to go. */
const patienceMs = 1000

/**
 * What has the focus goes when it is answered, and the focus would be nowhere: it is put on what is looked at, so that
 * Tab goes on from there.
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
