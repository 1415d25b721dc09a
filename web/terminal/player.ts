import type { Painter } from './painter.ts'
import type { Timeline } from './timeline.ts'

export type Player = { play(isPlaying: boolean): void; seek(to: number): void; speed(times: number): void }

type PlayerState = (state: { at: number; isPlaying: boolean }) => void

const mostAtOnce = 256 * 1024

/** Plays a recording into the terminal until the signal, never ahead of the rendering. */
export function createPlayer(painter: Painter, timeline: Timeline, signal: AbortSignal, shown: PlayerState): Player {
  const { moments, duration, cols, rows } = timeline
  let at = 0
  let next = 0
  let isPlaying = false
  let times = 1
  let wanted: number | null = 0
  let begun = false

  /** Renders everything up to `at`. */
  const paint = async () => {
    while (next < moments.length && (moments[next]?.at ?? 0) <= at && !signal.aborted) {
      let text = ''
      for (; text.length < mostAtOnce; next += 1) {
        const moment = moments[next]
        if (!moment || moment.at > at || moment.size) break
        text += moment.text
      }
      if (text !== '') await painter.write(text)
      const size = moments[next]?.size
      if (size && (moments[next]?.at ?? 0) <= at) {
        painter.resize(size.cols, size.rows)
        next += 1
      } else if (text === '') next += (moments[next]?.at ?? 0) <= at ? 1 : 0
    }
  }

  const step = async (seconds: number) => {
    if (wanted !== null) {
      if (wanted < at || !begun) {
        painter.begin(cols, rows)
        next = 0
        begun = true
      }
      at = wanted
      wanted = null
      await paint()
    } else if (isPlaying) {
      at = Math.min(duration, at + seconds * times)
      await paint()
      if (at >= duration && wanted === null) isPlaying = false
    } else return
    shown({ at, isPlaying })
  }

  const run = async () => {
    let before = performance.now()
    while (!signal.aborted) {
      const now = await new Promise<number>(requestAnimationFrame)
      if (!signal.aborted) await step(Math.min(0.25, Math.max(0, now - before) / 1000))
      before = now
    }
  }
  void run()

  return {
    play(playing) {
      isPlaying = playing
      // At its end it starts again.
      if (playing && at >= duration) wanted = 0
      shown({ at: wanted ?? at, isPlaying })
    },
    seek(to) {
      wanted = Math.min(duration, Math.max(0, to))
    },
    speed(to) {
      times = to
    },
  }
}
