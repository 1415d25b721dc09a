import type { TerminalApi } from './api.ts'
import type { Painter } from './painter.ts'
import { createPlayer, type Player } from './player.ts'
import { placeOf, createTimeline, type Timeline } from './timeline.ts'

export type Playing = { at: number; isPlaying: boolean; duration: number }

type ReplayHooks = {
  trouble(words: string): void
  shown(playing: Playing): void
}

/** Shows the recording instead of the live terminal until the signal, from a given time if any. */
export async function replay(
  { api, painter, from }: { api: TerminalApi; painter: Painter; from: string | null },
  signal: AbortSignal,
  { trouble, shown }: ReplayHooks,
): Promise<Player | null> {
  trouble('Loading the recording…')
  const { timeline, isCut } = await loadCast(api, signal)
  if (signal.aborted) return null
  trouble(isCut ? 'Only the first part of this long recording is replayed. Download it for the rest.' : '')
  const { duration } = timeline
  const player = createPlayer(painter, timeline, signal, (state) => {
    if (!signal.aborted) shown({ ...state, duration })
  })
  if (from === null) player.play(true)
  else player.seek(placeOf(timeline, from))
  return player
}

export function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const end = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`
}

/** Larger recordings would slow down the tab. */
const mostChars = 48 * 1024 * 1024

/** The recording, or as much of its start as can be replayed here. */
async function loadCast(api: TerminalApi, signal: AbortSignal): Promise<{ timeline: Timeline; isCut: boolean }> {
  const timeline = createTimeline()
  const { body } = await api.cast(signal)
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let read = 0
  for (;;) {
    const piece = await reader?.read()
    if (!piece || piece.done) break
    const lines = (rest + piece.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) timeline.add(line)
    read += piece.value.length
    if (read < mostChars) continue
    await reader?.cancel()
    return { timeline: timeline.done(), isCut: true }
  }
  timeline.add(rest)
  return { timeline: timeline.done(), isCut: false }
}
