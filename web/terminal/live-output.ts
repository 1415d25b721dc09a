import { Refused, type TerminalApi } from './api.ts'
import type { Painter } from './painter.ts'

/** How far the output is rendered; null: not yet. */
export type OutputPlace = { offset: number | null }

type OutputHooks = {
  /** Something was printed. */
  grew(): void
  /** The connection problem; empty if none. */
  trouble(words: string): void
}

export const lost = 'Connection lost. Reconnecting…'
const firstMs = 500
const longestMs = 15_000
/** How often a missing recording is requested again. */
const patience = 3

/** The current screen, then output as it comes. Resumes after a gap. Ends with the terminal. */
export async function followLive(
  { api, painter, place }: { api: TerminalApi; painter: Painter; place: OutputPlace },
  signal: AbortSignal,
  hooks: OutputHooks,
): Promise<void> {
  let attempt = 0
  while (!signal.aborted) {
    try {
      if (place.offset === null) {
        const { screen, cols, rows, offset } = await api.screen(signal)
        painter.begin(cols, rows)
        place.offset = offset
        await painter.write(screen)
      }
      const { body } = await api.live(place.offset, signal)
      hooks.trouble('')
      const reader = body?.getReader()
      for (;;) {
        const piece = await reader?.read()
        if (!piece || piece.done) break
        // Set the offset first, so that interrupted output is not rendered twice.
        place.offset += piece.value.length
        attempt = 0
        await painter.write(piece.value)
        hooks.grew()
      }
      if ((await api.get(signal)).state === 'stopped') return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && error.status < 500 && error.status !== 429) {
        // A terminal that just started or ended may have no recording at this offset.
        const isSoon = error.status === 404 && attempt < patience
        if (!isSoon) return hooks.trouble(error.message)
      } else hooks.trouble(lost)
    }
    attempt += 1
    await pause(Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 10)), signal)
  }
}

/** Waits, or until the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
