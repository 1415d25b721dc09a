import { useState } from 'react'
import { useClient } from '../../../api/backend.tsx'
import { useAction } from '../../../api/use-action.ts'
import { Button, type Tone } from '../../../ui/button.tsx'
import { EmbeddedTerminal } from '../../terminals/embedded-terminal.tsx'

/** A button that runs exactly this command in a terminal below it. */
export function RunHere({
  label,
  name,
  command,
  ended,
  tone = 'main',
}: {
  label: string
  /** Of the terminal. */
  name: string
  command: string[]
  ended: (exitCode: number | null) => void
  tone?: Tone
}) {
  const client = useClient()
  const [terminal, setTerminal] = useState<string | null>(null)
  const [isOver, setOver] = useState(false)
  const start = useAction(
    () => client.startTerminal({ body: { sessionType: 'script', command, name, cols: 100, rows: 24 } }),
    {
      failed: 'Not started',
      whenDone({ sessionId }) {
        setOver(false)
        setTerminal(sessionId)
      },
    },
  )
  return (
    <>
      {(terminal === null || isOver) && (
        <div>
          <Button tone={tone} icon="terminal" disabled={start.isPending} onClick={() => start.mutate(undefined)}>
            {isOver ? `${label} again` : label}
          </Button>
        </div>
      )}
      {terminal !== null && (
        <EmbeddedTerminal
          key={terminal}
          id={terminal}
          ended={(code) => {
            setOver(true)
            ended(code)
          }}
        />
      )}
    </>
  )
}
