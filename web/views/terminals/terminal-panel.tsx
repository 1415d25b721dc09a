import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { download } from '../../api/download.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { castAddress } from '../../terminal/api.ts'
import { commandOf, nameOf, placeOf, stateBadge, type TerminalView } from '../../terminal/terminal-text.ts'
import '../../terminal/terminal.css'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { FindBar } from './find-bar.tsx'
import { Keyboard } from './keyboard.tsx'
import { PromptPanel } from './prompt-panel.tsx'
import { TerminalMenu } from './terminal-menu.tsx'
import { TerminalHistory } from './terminal-history.tsx'
import { useCanAct, useCanType } from './queries.ts'
import type { Player } from '../../terminal/player.ts'
import { clock, type Playing } from '../../terminal/replay.ts'
import { inputLook } from '../../ui/field.tsx'
import { useScreen } from './use-screen.ts'
import { useToast } from '../../ui/toasts.tsx'

/** Size changes have no event: the size is read this long after output. */
const lookMs = 1200

/** A terminal: its screen, its prompt, and the controls. */
export function TerminalPanel({ terminal, refresh }: { terminal: TerminalView; refresh: () => void }) {
  const { sessionId: id, state, command } = terminal
  const mayAct = useCanAct(terminal)
  const typist = useCanType(terminal)
  const { replay } = useSearch({ strict: false }) as { replay?: unknown }
  const navigate = useNavigate()
  const [isFull, setFull] = useState(false)
  const [wantsKeyboard, setKeyboard] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const copy = useCopy(copiedLines)
  const share = useCopy(() => 'Link copied', 'It opens for everyone who may see this terminal.')
  const grew = useSoon(refresh)
  const { host, within, screen, state: shown } = useScreen(terminal, typeof replay === 'string' ? replay : null, grew)
  const isReplay = shown.mode === 'replay'
  const mayType = typist === true && state === 'active' && command !== null && !isReplay
  const hasKeyboard = wantsKeyboard && mayType
  const giveBack = useCallback(() => setKeyboard(false), [])
  const show = (next: string | null) =>
    void navigate({
      to: paths.terminal,
      params: { id },
      search: next === null ? {} : { replay: next },
      replace: true,
      resetScroll: false,
    })
  const zoom = () => {
    screen.current?.zoom(!isFull)
    setFull(!isFull)
  }
  const save = useAction(() => download(castAddress(id), `terminal-${id.slice(0, 8)}.cast`), {
    failed: 'Not downloaded',
  })
  const badge = stateBadge(terminal)
  const about = [terminal.name === null ? null : commandOf(terminal), placeOf(terminal)].filter((part) => part !== null)
  return (
    <>
      <PageHead title={nameOf(terminal)} back={paths.terminals} about={about.join(' · ')}>
        <span id="state" aria-live="polite">
          <Badge signal={badge.signal}>{badge.words}</Badge>
        </span>
        <TerminalMenu terminal={terminal} mayAct={mayAct === true} copyLink={() => void share(linkTo(id))} />
      </PageHead>
      <div className="grid max-w-[104rem] gap-x-5 gap-y-3 p-3 md:p-5 xl:grid-cols-[minmax(0,1fr)_22rem] xl:grid-rows-[auto_1fr]">
        <section ref={within} aria-label="Terminal" className="relative min-w-0">
          <div
            ref={host}
            id="screen"
            {...(isFull && { tabIndex: 0, role: 'group', 'aria-label': 'The screen in full size' })}
            className={`terminal-ground w-fit max-w-full overflow-x-auto rounded-lg border p-2 ${hasKeyboard ? 'border-accent ring-2 ring-accent' : isReplay ? 'border-info' : 'border-line-strong'}`}
          />
          {shown.trouble !== '' && (
            <p role="status" className="mt-2 text-sm text-wait">
              {shown.trouble}
            </p>
          )}
          {isFinding && <FindBar screen={() => screen.current} close={() => setFinding(false)} />}
          {hasKeyboard && (
            <Keyboard
              terminal={terminal}
              giveBack={giveBack}
              takeSelection={() => screen.current?.takeSelection() ?? ''}
            />
          )}
          {shown.playing && isReplay && (
            <ReplayBar playing={shown.playing} player={() => screen.current?.player() ?? null} />
          )}
        </section>
        <div className="flex min-w-0 flex-col gap-3 xl:col-start-2 xl:row-span-2 xl:row-start-1">
          <PromptPanel terminal={terminal} mayAct={typist} refresh={refresh} />
          <TerminalHistory terminal={terminal} />
        </div>
        <section aria-label="Recording and keyboard" className="flex flex-wrap items-center gap-2 self-start">
          {mayType && !hasKeyboard && (
            <Button icon="keyboard" onClick={() => setKeyboard(true)}>
              Type
            </Button>
          )}
          <Button
            icon={isReplay ? 'wave' : 'play'}
            aria-pressed={isReplay}
            onClick={() => show(isReplay ? null : 'start')}
          >
            {isReplay ? 'Back to live' : 'Replay'}
          </Button>
          <Button icon="search" aria-pressed={isFinding} onClick={() => setFinding(!isFinding)}>
            Find
          </Button>
          <Button icon="copy" onClick={() => void copy(screen.current?.copied() ?? '')}>
            Copy
          </Button>
          {shown.isSmall && <Button onClick={zoom}>{isFull ? 'Fit the width' : 'Full size'}</Button>}
          <Button tone="quiet" icon="file" disabled={save.isPending} onClick={() => save.mutate()}>
            Download recording
          </Button>
        </section>
      </div>
    </>
  )
}

/** Opens the recording for everyone who may see the terminal, and for nobody else. */
const linkTo = (id: string): string =>
  new URL(`${paths.terminal.replace('$id', id)}?replay=start`, location.origin).href

function copiedLines(text: string): string {
  const lines = text.split('\n').length
  return `Copied ${lines} ${lines === 1 ? 'line' : 'lines'}`
}

/** Copies text, and says so. */
function useCopy(said: (text: string) => string, body?: string): (text: string) => Promise<void> {
  const say = useToast()
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text)
      say({ title: said(text), ...(body !== undefined && { body }) })
    } catch {
      say({
        title: 'Not copied',
        body: `The browser does not allow it here. ${body === undefined ? 'Copy from “Screen as text”.' : text}`,
      })
    }
  }
}

/** Runs once, some time after the first call; then can run again. */
function useSoon(act: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      act()
    }, lookMs)
  }
}

const speeds = [1, 2, 4, 16]

/** Replay controls; idle time is cut. */
function ReplayBar({ playing, player }: { playing: Playing; player: () => Player | null }) {
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
