import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useConnection } from '../../api/backend.tsx'
import { lost } from '../../terminal/live-output.ts'
import { createScreen, type ScreenPlayer, type ScreenState } from '../../terminal/screen.ts'
import type { TerminalView } from '../../terminal/terminal-text.ts'

const blank: ScreenState = { mode: 'live', trouble: '', isSmall: false, playing: null }

/** The screen of a terminal in `host`, as wide as `within`; `replay` is a time, `start`, or null for live. */
export function useScreen(terminal: TerminalView, replay: string | null, grew: () => void) {
  const { sessionId: id, cols, rows } = terminal
  const isLog = terminal.command === null
  const host = useRef<HTMLDivElement>(null)
  const within = useRef<HTMLDivElement>(null)
  const screen = useRef<ScreenPlayer>(null)
  const [state, setState] = useState(blank)
  const onGrew = useEffectEvent(grew)
  useEffect(() => {
    if (!host.current || !within.current) return undefined
    const made = createScreen(
      { host: host.current, within: within.current, id, isLog },
      { changed: setState, grew: () => onGrew() },
    )
    screen.current = made
    return () => {
      made.dispose()
      screen.current = null
    }
  }, [id, isLog])
  useEffect(() => {
    if (replay === null) screen.current?.live()
    else screen.current?.replay(replay === 'start' ? null : replay)
  }, [id, isLog, replay])
  useEffect(() => screen.current?.sized(cols, rows), [cols, rows])

  const connection = useConnection()
  const wasLost = useRef(false)
  useEffect(() => {
    // A stream may hang on a dead connection.
    if (connection === 'live' && wasLost.current) screen.current?.resume()
    wasLost.current = connection === 'lost'
  }, [connection])
  const trouble = connection === 'lost' && state.mode === 'live' ? lost : state.trouble
  return { host, within, screen, state: { ...state, trouble } }
}
