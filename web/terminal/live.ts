import { Refused, type TerminalApi } from './api.ts'
import type { Painter } from './painter.ts'

/** How far it was painted; null: not yet. */
export type Place = { offset: number | null }

type Hooks = {
  /** Something was printed. */
  grew(): void
  /** What is wrong with the connection; empty: nothing. */
  trouble(words: string): void
}

export const lost = 'The connection is lost. Trying again …'
const firstMs = 500
const longestMs = 15_000
/** So often something that is not there is asked for again. */
const patience = 3

/** The screen as it is, then what is printed, as it comes; after a gap it goes on where it was. Ends with the terminal. */
export async function followLive(
  { api, painter, place }: { api: TerminalApi; painter: Painter; place: Place },
  signal: AbortSignal,
  hooks: Hooks,
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
        // The place first: should painting be broken off, it is not painted twice.
        place.offset += piece.value.length
        attempt = 0
        await painter.write(piece.value)
        hooks.grew()
      }
      if ((await api.get(signal)).state === 'stopped') return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && error.status < 500 && error.status !== 429) {
        // Just begun or just ended, its recording may not be there yet, or not any more as it was.
        const isSoon = error.status === 404 && attempt < patience
        if (!isSoon) return hooks.trouble(error.message)
      } else hooks.trouble(lost)
    }
    attempt += 1
    await pause(Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 10)), signal)
  }
}

/** Ends sooner with the signal. */
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
