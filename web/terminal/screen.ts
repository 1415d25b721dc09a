import { terminalApi } from './api.ts'
import { followLive, type OutputPlace } from './live-output.ts'
import { createPainter, type Painter } from './painter.ts'
import type { Player } from './player.ts'
import { replay, type Playing } from './replay.ts'

/** State of the screen, for the controls around it. */
export type ScreenState = {
  mode: 'live' | 'replay'
  /** The problem; empty if none. */
  trouble: string
  /** It was scaled down to fit. */
  isSmall: boolean
  playing: Playing | null
}

export type ScreenPlayer = {
  live(): void
  /** From the start, or paused at a time. */
  replay(from: string | null): void
  /** On a new connection, from the last rendered offset. */
  resume(): void
  /** The terminal was resized: output rendered in another size no longer fits. */
  sized(cols: number, rows: number): void
  player(): Player | null
  zoom(isFull: boolean): void
  takeSelection(): string
  find: Painter['find']
  copied(): string
  dispose(): void
}

/** A hidden tab disconnects after this: browsers have few connections, and nobody sees the output. */
const unseenMs = 60_000

/** A terminal's screen in an element: live, or its recording; one at a time. */
export function createScreen(
  { host, within, id, isLog }: { host: HTMLElement; within: HTMLElement; id: string; isLog: boolean },
  hooks: { changed(state: ScreenState): void; grew(): void },
): ScreenPlayer {
  const api = terminalApi(id)
  const painter = createPainter(host, within, isLog)
  let state: ScreenState = { mode: 'live', trouble: '', isSmall: false, playing: null }
  let shown = new AbortController()
  let place: OutputPlace = { offset: null }
  let from: string | null = null
  let player: Player | null = null
  let size = ''
  let unseen: ReturnType<typeof setTimeout> | undefined

  const set = (part: Partial<ScreenState>) => {
    state = { ...state, ...part }
    hooks.changed(state)
  }
  const trouble = (words: string) => set({ trouble: words })

  async function run(signal: AbortSignal): Promise<void> {
    if (state.mode === 'live') return followLive({ api, painter, place }, signal, { grew: hooks.grew, trouble })
    player = await replay({ api, painter, from }, signal, { trouble, shown: (playing) => set({ playing }) })
  }

  function resume(): void {
    shown.abort()
    shown = new AbortController()
    const { signal } = shown
    player = null
    run(signal).catch((error: unknown) => {
      if (!signal.aborted) trouble(error instanceof Error ? error.message : String(error))
    })
  }

  function show(mode: ScreenState['mode'], at: string | null): void {
    place = { offset: null }
    from = at
    set({ mode, trouble: '', playing: null })
    resume()
  }

  const onVisibility = () => {
    clearTimeout(unseen)
    if (state.mode === 'replay') return
    if (document.hidden) unseen = setTimeout(() => shown.abort(), unseenMs)
    else if (shown.signal.aborted) show('live', null)
  }
  document.addEventListener('visibilitychange', onVisibility)
  painter.onFit((isSmall) => {
    if (isSmall !== state.isSmall) set({ isSmall })
  })

  return {
    live: () => show('live', null),
    replay: (at) => show('replay', at),
    resume() {
      if (state.mode === 'live') resume()
    },
    sized(cols, rows) {
      const now = `${cols}x${rows}`
      if (size !== '' && now !== size && state.mode === 'live') show('live', null)
      size = now
    },
    player: () => player,
    zoom: painter.zoom,
    takeSelection: painter.takeSelection,
    find: painter.find,
    copied: painter.copied,
    dispose() {
      shown.abort()
      clearTimeout(unseen)
      document.removeEventListener('visibilitychange', onVisibility)
      painter.dispose()
    },
  }
}
