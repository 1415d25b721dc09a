// Functions that run in the page, each self-contained. The few browser types they need are declared
// here, because the rest of the bench has none.
declare global {
  /** When a button was pressed, by the page's clock. */
  var pressedAt: number | undefined
  /** Milliseconds from the start of the navigation until the awaited state. */
  var readyAfter: number | undefined
  /** Milliseconds from the click on an item until lines of its diff were painted. */
  var paintedAfter: number | undefined
  /** Milliseconds of each frame since it was asked to watch. */
  var frameTimes: (() => number[]) | undefined
  var isAtEnd: (() => boolean) | undefined
}

type Element = { closest(selector: string): Element | null }
type Heard = (event: { timeStamp: number }) => void
declare global {
  var scrollY: number
  var innerHeight: number
}
declare const document: {
  readonly documentElement: { readonly scrollHeight: number }
  readonly readyState: string
  querySelector(selector: string): Element | null
  addEventListener(type: string, heard: Heard, options: { capture: boolean; once?: boolean }): void
  dispatchEvent(event: object): boolean
}
declare const requestAnimationFrame: (next: () => void) => void
declare const KeyboardEvent: new (type: string, more: object) => object

/** The browser's timestamp, not when a listener runs. */
export function notePresses(): void {
  const note: Heard = (event) => (globalThis.pressedAt = performance.timeOrigin + event.timeStamp)
  for (const type of ['click', 'keydown']) document.addEventListener(type, note, { capture: true })
}

/** `j` is handled once its default is prevented; a later frame shows where it led. */
export function watchInbox(): void {
  let pressed = false
  const look = () => {
    const first = document.querySelector('[data-key]')
    const here = document.querySelector('[data-key] [aria-current]')?.closest('[data-key]')
    const press = () => new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true })
    if (here && !pressed) pressed = !document.dispatchEvent(press())
    if (pressed && here && here !== first) globalThis.readyAfter = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

export function watchPainted(): void {
  const look = () => {
    const isThere = document.readyState !== 'loading' && document.querySelector('main')
    if (isThere) globalThis.readyAfter = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Frames of the page while it moves; those in which it stood still are left out. */
export function framesFrom(): void {
  const times: number[] = []
  let before = performance.now()
  let place = globalThis.scrollY
  let still = 0
  const look = () => {
    const now = performance.now()
    still = globalThis.scrollY === place ? still + 1 : 0
    if (still < 3) times.push(now - before)
    before = now
    place = globalThis.scrollY
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  globalThis.frameTimes = () => times
  globalThis.isAtEnd = () => globalThis.scrollY + globalThis.innerHeight >= document.documentElement.scrollHeight - 4
}

/** A frame after they are added, the lines are painted. */
export function watchDiff(): void {
  globalThis.paintedAfter = undefined
  const look = (clicked: number) => {
    if (!document.querySelector('.diff .diff-added')) return requestAnimationFrame(() => look(clicked))
    const after = () => (globalThis.paintedAfter = performance.now() - clicked)
    requestAnimationFrame(() => setTimeout(after))
  }
  document.addEventListener('click', (event) => look(event.timeStamp), { capture: true, once: true })
}
