import { Terminal } from '@xterm/xterm'
import { createFinder, type Finder } from './find.ts'

/** Renders program output in the program's own size. Keys typed here go nowhere. */
export type Painter = {
  /** An empty terminal of this size. */
  begin(cols: number, rows: number): void
  resize(cols: number, rows: number): void
  /** Settles when it is rendered, so that a slow page is not flooded. */
  write(data: string | Uint8Array): Promise<void>
  /** Scaled to fit, or at a readable size. */
  zoom(isFull: boolean): void
  /** Called with whether it had to be scaled down. */
  onFit(listener: (isSmall: boolean) => void): void
  /** The selected text; cleared when read. */
  takeSelection(): string
  find: Finder['find']
  /** The selected text, or everything that can be scrolled back to. */
  copied(): string
  dispose(): void
}

const largest = 18
const smallest = 4
const readable = 14
const small = 10
/** Share of the window height; wide windows show tall terminals whole if they stay readable. */
const tallest = 0.72

/** Characters that reverse text: a browser would obey them, so they are shown as replacement characters. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const theme = { background: '#11161b', foreground: '#e6e9ec', cursor: '#4cc38a', selectionBackground: '#3d5a6c' }

/** @param isLog lines of a log end without the return that a terminal adds */
export function createPainter(host: HTMLElement, within: HTMLElement, isLog: boolean): Painter {
  const terminal = new Terminal({
    disableStdin: true,
    convertEol: isLog,
    scrollback: 1000,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: readable,
    cursorInactiveStyle: 'block',
    // Text in the background colour stays visible.
    minimumContrastRatio: 4.5,
    theme,
  })
  // Programs must not create links, set the title or write to the clipboard.
  for (const code of [0, 1, 2, 8, 52]) terminal.parser.registerOscHandler(code, () => true)
  terminal.attachCustomKeyEventHandler(() => false)
  withinPolicy(() => terminal.open(host))
  if (terminal.textarea) terminal.textarea.tabIndex = -1
  const over = new AbortController()
  scrollByTouch(host, terminal, over.signal)
  let isFull = false
  let text = new TextDecoder()
  let fitted: (isSmall: boolean) => void = () => undefined
  const finder = createFinder(terminal)

  const fit = () => {
    const shown = host.querySelector<HTMLElement>('.xterm-screen')
    const frame = host.offsetWidth - host.clientWidth + padding(host)
    const room = within.clientWidth - frame
    const size = terminal.options.fontSize ?? readable
    if (!shown || shown.offsetWidth === 0 || room <= 0) return
    const perPixel = shown.offsetWidth / size
    const height = Math.max(12, (window.innerHeight * tallest) / (shown.offsetHeight / size))
    const best = Math.max(smallest, Math.floor(Math.min(largest, room / perPixel, height) * 10) / 10)
    const wanted = isFull ? Math.max(readable, best) : best
    if (wanted !== size) terminal.options.fontSize = wanted
    fitted(best < small)
  }
  const observer = new ResizeObserver(fit)
  observer.observe(within)
  const resize = (cols: number, rows: number) => {
    if (cols !== terminal.cols || rows !== terminal.rows) terminal.resize(cols, rows)
    requestAnimationFrame(fit)
  }

  return {
    begin(cols, rows) {
      terminal.reset()
      text = new TextDecoder()
      resize(cols, rows)
      // xterm draws the cursor only after typing, and nobody types here.
      if (!isLog) terminal.write('\x1b[?47l')
    },
    resize,
    write(data) {
      const printed = typeof data === 'string' ? data : text.decode(data, { stream: true })
      return new Promise((resolve) => terminal.write(printed.replace(turning, '\ufffd'), resolve))
    },
    zoom(full) {
      isFull = full
      fit()
    },
    onFit(listener) {
      fitted = listener
      fit()
    },
    takeSelection() {
      const marked = terminal.getSelection()
      terminal.clearSelection()
      return marked
    },
    find: finder.find,
    copied: () => terminal.getSelection() || finder.text(),
    dispose() {
      over.abort()
      observer.disconnect()
      terminal.dispose()
    },
  }
}

function padding(host: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(host)
  return Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight)
}

type ScrollTarget = {
  readonly rows: number
  readonly buffer: { readonly active: { readonly viewportY: number; readonly baseY: number } }
  scrollLines(amount: number): void
}

/** xterm scrolls by wheel only. This adds touch; at either end the page scrolls. */
function scrollByTouch(host: HTMLElement, terminal: ScrollTarget, signal: AbortSignal): void {
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

/**
 * xterm writes style elements and attributes, which the page's content security policy forbids. This redirects them to
 * constructed style sheets and properties, so that the policy stays strict.
 */
function withinPolicy(open: () => void): void {
  styleSpansByProperty()
  const create = document.createElement.bind(document)
  // Only while xterm creates its elements, so that nothing else on the page is affected.
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string, options?: ElementCreationOptions) =>
      name === 'style' ? sheetIn(create('data')) : create(name, options),
  })
  try {
    open()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
}

/** Rows are rendered all the time, so this override stays. */
function styleSpansByProperty(): void {
  if (Object.hasOwn(HTMLSpanElement.prototype, 'setAttribute')) return
  const setAttribute = Element.prototype.setAttribute
  Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
    value(this: HTMLSpanElement, name: string, value: string) {
      if (name === 'style') this.style.cssText = value
      else setAttribute.call(this, name, value)
    },
  })
}

/** Replaces a style element and keeps its rules in a constructed sheet. */
function sheetIn(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  element.hidden = true
  Object.defineProperty(element, 'textContent', {
    set(rules: string) {
      sheet.replaceSync(rules)
    },
  })
  Object.defineProperty(element, 'remove', {
    value() {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
      Element.prototype.remove.call(element)
    },
  })
  return element
}
