import type { TerminalApi } from './api.ts'
import { loadCast } from './cast.ts'
import { element, say } from './element.ts'
import type { Painter } from './painter.ts'
import { createPlayer } from './player.ts'

/** The recording in place of the live terminal, with its controls, until the signal. */
export async function replay(
  api: TerminalApi,
  painter: Painter,
  signal: AbortSignal,
  trouble: (words: string) => void,
): Promise<void> {
  const bar = element('player', HTMLDivElement)
  const play = element('play', HTMLButtonElement)
  const seek = element('seek', HTMLInputElement)
  const time = element('time', HTMLSpanElement)
  const speed = element('speed', HTMLSelectElement)
  trouble('Loading the recording …')
  const { timeline, isCut } = await loadCast(api, signal)
  if (signal.aborted) return
  trouble(isCut ? 'It is long: only its first part is replayed here. Download it for the rest.' : '')
  const { duration } = timeline
  const player = createPlayer(painter, timeline, signal, ({ at, isPlaying }) => {
    say(play, isPlaying ? 'Pause' : 'Play')
    say(time, `${clock(at)} / ${clock(duration)}`)
    seek.value = String(at)
    seek.setAttribute('aria-valuetext', clock(at))
  })
  seek.max = String(duration)
  bar.hidden = false
  signal.addEventListener('abort', () => (bar.hidden = true))
  play.addEventListener('click', () => player.play(play.textContent === 'Play'), { signal })
  seek.addEventListener('input', () => player.seek(Number(seek.value)), { signal })
  speed.addEventListener('change', () => player.speed(Number(speed.value)), { signal })
  player.speed(Number(speed.value))
  player.play(true)
  play.focus({ preventScroll: true })
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const end = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`
}
