import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { ButtonLink, Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { paths } from '../../app/paths.ts'
import { stateBadge, type TerminalView } from '../../terminal/terminal-text.ts'
import '../../terminal/terminal.css'
import { Keyboard } from './keyboard.tsx'
import { useCanType, useTerminal } from './queries.ts'
import { useScreen } from './use-screen.ts'

/** A terminal within another page: its screen and its keyboard. */
export function EmbeddedTerminal({ id, ended }: { id: string; ended: (exitCode: number | null) => void }) {
  const { data, error, refetch } = useTerminal(id)
  const onEnded = useEffectEvent(ended)
  const isOver = data?.state === 'stopped'
  const exitCode = data?.exitCode ?? null
  useEffect(() => {
    if (isOver) onEnded(exitCode)
  }, [isOver, exitCode])
  if (data) return <Screen terminal={data} refresh={() => void refetch()} />
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Loading what="Opening the terminal…" />
}

function Screen({ terminal, refresh }: { terminal: TerminalView; refresh: () => void }) {
  const { host, within, screen, state } = useScreen(terminal, null, refresh)
  const [types, setTypes] = useState(true)
  const mayType = useCanType(terminal) === true && terminal.state === 'active'
  const giveBack = useCallback(() => setTypes(false), [])
  const badge = stateBadge(terminal)
  return (
    <section ref={within} aria-label="Terminal" className="relative flex min-w-0 flex-col gap-2">
      <div
        ref={host}
        id="screen"
        className={`terminal-ground w-fit max-w-full overflow-x-auto rounded-lg border p-2 ${mayType && types ? 'border-accent ring-2 ring-accent' : 'border-line-strong'}`}
      />
      {state.trouble !== '' && (
        <p role="status" className="text-sm text-wait">
          {state.trouble}
        </p>
      )}
      {mayType && types && (
        <Keyboard terminal={terminal} giveBack={giveBack} takeSelection={() => screen.current?.takeSelection() ?? ''} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span aria-live="polite">
          <Badge signal={badge.signal}>{badge.words}</Badge>
        </span>
        {mayType && !types && (
          <Button icon="keyboard" onClick={() => setTypes(true)}>
            Type
          </Button>
        )}
        <ButtonLink tone="quiet" icon="terminal" to={paths.terminal} params={{ id: terminal.sessionId }}>
          Open it alone
        </ButtonLink>
      </div>
    </section>
  )
}
