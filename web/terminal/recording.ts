import type { TerminalApi } from './api.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** Larger recordings would slow down the tab. */
const mostChars = 48 * 1024 * 1024

/** The recording, or as much of its start as can be replayed here. */
export async function loadCast(api: TerminalApi, signal: AbortSignal): Promise<{ timeline: Timeline; isCut: boolean }> {
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
