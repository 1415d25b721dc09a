import { useState } from 'react'
import type { Player } from '../../terminal/player.ts'
import { clock, type Playing } from '../../terminal/replay.ts'
import { Button } from '../../ui/button.tsx'
import { inputLook } from '../../ui/field.tsx'

const speeds = [1, 2, 4, 16]

/** Replay controls; idle time is cut. */
export function ReplayBar({ playing, player }: { playing: Playing; player: () => Player | null }) {
  const { at, isPlaying, duration } = playing
  const [speed, setSpeed] = useState(1)
  const seek = (to: number) => player()?.seek(to)
  return (
    <div
      id="player"
      role="group"
      aria-label="Replay"
      className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-panel p-2"
    >
      <Button
        tone="main"
        icon={isPlaying ? 'pause' : 'play'}
        className="w-28"
        onClick={() => {
          player()?.speed(speed)
          player()?.play(!isPlaying)
        }}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <input
        id="seek"
        type="range"
        min={0}
        max={duration}
        step="any"
        value={at}
        onChange={({ target }) => seek(Number(target.value))}
        aria-label="Position in the recording"
        aria-valuetext={clock(at)}
        className="min-h-11 min-w-32 flex-1 accent-accent pointer-fine:min-h-9"
      />
      <span className="text-sm tabular-nums">
        {clock(at)} / {clock(duration)}
      </span>
      <label className="flex items-center gap-2 text-sm">
        Speed
        <select
          value={speed}
          onChange={({ target }) => {
            setSpeed(Number(target.value))
            player()?.speed(Number(target.value))
          }}
          className={`${inputLook} w-auto`}
        >
          {speeds.map((times) => (
            <option key={times} value={times}>
              {times}×
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
