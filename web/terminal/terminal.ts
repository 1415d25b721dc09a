import { Refused, terminalApi, type TerminalView } from './api.ts'
import { element, say } from './element.ts'
import { followLive, lost, type Place } from './live.ts'
import { createPainter } from './painter.ts'
import { createPromptPanel } from './prompt.ts'
import { replay } from './replay.ts'

const lookMs = 1000
const afterOutputMs = 120
const patienceMs = 10_000
/** Out of sight for so long it is let go: browsers keep few connections, and a flood would be followed for nobody. */
const unseenMs = 60_000

const frame = element('terminal', HTMLDivElement)
const screen = element('screen', HTMLDivElement)
const state = element('state', HTMLSpanElement)
const mode = element('mode', HTMLButtonElement)
const zoom = element('zoom', HTMLButtonElement)
const api = terminalApi(frame.dataset['id'] ?? '')
const painter = createPainter(screen, screen.parentElement ?? screen, frame.dataset['log'] === 'true')
const trouble = (words: string) => say(element('trouble', HTMLParagraphElement), words)

let shown = new AbortController()
let isReplay = false
let place: Place = { offset: null }
let wake: () => void = () => undefined
const look = () => wake()
const panel = createPromptPanel(api, look)

/** Live or the recording: one at a time has the screen. */
function show(replayed: boolean): void {
  isReplay = replayed
  place = { offset: null }
  frame.classList.toggle('replayed', replayed)
  mode.setAttribute('aria-pressed', String(replayed))
  mode.textContent = replayed ? 'Back to live' : 'Replay'
  resume()
}

/** From where it was painted to, on a connection of its own. */
function resume(): void {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  trouble('')
  const showing = isReplay
    ? replay(api, painter, signal, trouble)
    : followLive({ api, painter, place }, signal, { grew: () => setTimeout(look, afterOutputMs), trouble })
  showing.catch((error: unknown) => {
    if (!signal.aborted) trouble(error instanceof Error ? error.message : String(error))
  })
}

function showState({ state: is, exitCode, exitSignal, detection }: TerminalView): void {
  const isOver = is === 'stopped'
  const waits = !isOver && detection?.waiting === true
  const ended = exitSignal ?? (exitCode === null ? 'over' : `ended with ${exitCode}`)
  say(state, isOver ? ended : waits ? 'waits' : 'works')
  state.className = `chip ${isOver ? '' : waits ? 'waits' : 'runs'}`
}

/** Once a second, and sooner when something was printed or typed. */
async function watch(): Promise<void> {
  let size = ''
  let isLost = false
  for (;;) {
    const next = new Promise<void>((resolve) => (wake = resolve))
    if (!document.hidden) {
      try {
        const view = await api.get(AbortSignal.timeout(patienceMs))
        showState(view)
        panel.show(view)
        // A stream may hang on a connection that is long gone without saying so.
        if (isLost && isReplay) trouble('')
        else if (isLost) resume()
        isLost = false
        const now = `${view.cols}x${view.rows}`
        // The program's terminal has another size: what was painted before does not fit any more.
        if (size !== '' && now !== size && !isReplay) show(false)
        size = now
      } catch (error) {
        isLost = !(error instanceof Refused) || error.status >= 500
        trouble(error instanceof Refused && !isLost ? error.message : lost)
      }
    }
    const timer = setTimeout(look, lookMs)
    await next
    clearTimeout(timer)
  }
}

let isFull = false
painter.onFit((isSmall) => (zoom.hidden = !isSmall))
zoom.addEventListener('click', () => {
  isFull = !isFull
  zoom.textContent = isFull ? 'Fit the width' : 'Full size'
  painter.zoom(isFull)
})
mode.addEventListener('click', () => show(!isReplay))
const letGo = () => {
  if (!isReplay) shown.abort()
}
let unseen: ReturnType<typeof setTimeout> | undefined
document.addEventListener('visibilitychange', () => {
  clearTimeout(unseen)
  if (document.hidden) unseen = setTimeout(letGo, unseenMs)
  else if (shown.signal.aborted) show(false)
  look()
})
show(false)
void watch()
