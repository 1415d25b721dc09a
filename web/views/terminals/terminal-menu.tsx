import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import type { TerminalView } from '../../terminal/terminal-text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { useToast, useFailureToast } from '../../ui/toasts.tsx'
import { TextField } from '../../ui/field.tsx'
import { errorText, Failed, Loading } from '../../ui/states.tsx'
import { safeText } from '../../ui/safe-text.ts'

type OpenTerminalDialog = 'text' | 'size' | 'stop' | 'end' | null

/** Rare actions on a terminal. */
export function TerminalMenu({
  terminal,
  mayAct,
  copyLink,
}: {
  terminal: TerminalView
  mayAct: boolean
  copyLink: () => void
}) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<OpenTerminalDialog>(null)
  const close = () => setOpen(null)
  const { sessionId: id, state, command } = terminal
  const isLive = state === 'active'
  const items: MenuItem[] = [
    { label: 'Screen as text', icon: 'copy', run: () => setOpen('text') },
    { label: 'Copy link to recording', icon: 'send', run: copyLink },
    { label: 'Open session', icon: 'sessions', run: () => void navigate({ to: paths.session, params: { id } }) },
    ...(mayAct && isLive && command !== null
      ? [{ label: 'Resize…', icon: 'settings', run: () => setOpen('size') } as const]
      : []),
    ...(mayAct && isLive ? [{ label: 'Stop watching…', icon: 'pause', run: () => setOpen('stop') } as const] : []),
    ...(mayAct && command !== null && (isLive || (terminal.exitCode === null && terminal.exitSignal === null))
      ? [{ label: 'End the program…', icon: 'stop', bad: true, run: () => setOpen('end') } as const]
      : []),
  ]
  return (
    <>
      <Menu trigger={<IconButton icon="more" label="More" />} items={items} />
      {open === 'text' && <TextDialog id={id} close={close} />}
      {open === 'size' && <ResizeDialog terminal={terminal} close={close} />}
      {(open === 'stop' || open === 'end') && <EndDialog terminal={terminal} how={open} close={close} />}
    </>
  )
}

function EndDialog({ terminal, how, close }: { terminal: TerminalView; how: 'stop' | 'end'; close: () => void }) {
  const client = useClient()
  const say = useToast()
  const sayFailed = useFailureToast()
  const isLog = terminal.command === null
  const params = { id: terminal.sessionId }
  const act = useMutation({
    mutationFn: async (): Promise<unknown> =>
      how === 'end' ? client.endTerminal({ params }) : client.stopTerminal({ params }),
    onSuccess: () => say({ title: how === 'end' ? 'Program ended' : 'No longer watched' }),
    onError: (error) => sayFailed(error, how === 'end' ? 'The program was not ended' : 'Still watched'),
    onSettled: close,
  })
  const words = {
    stop: {
      title: 'Stop watching?',
      about: isLog
        ? 'The log is no longer followed. Its recording is kept.'
        : 'The program keeps running, but its questions no longer show here. Its recording is kept. To return to it: signalbox attach',
      button: 'Stop watching',
    },
    end: {
      title: 'End the program?',
      about: 'Ends it like closing a terminal window. Unsaved work is lost. Its recording is kept.',
      button: 'End program',
    },
  }[how]
  return (
    <Dialog open close={close} title={words.title}>
      <p>{words.about}</p>
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button tone="stop" disabled={act.isPending} onClick={() => act.mutate()}>
          {words.button}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const isSize = (size: number): boolean => Number.isInteger(size) && size >= 1 && size <= 1000

/** Resizes the terminal; never automatic. */
function ResizeDialog({ terminal, close }: { terminal: TerminalView; close: () => void }) {
  const client = useClient()
  const [cols, setCols] = useState(String(terminal.cols))
  const [rows, setRows] = useState(String(terminal.rows))
  const size = { cols: Number(cols), rows: Number(rows) }
  const isGood = isSize(size.cols) && isSize(size.rows)
  const resize = useMutation({
    mutationFn: () => client.resizeTerminal({ params: { id: terminal.sessionId }, body: size }),
    onSuccess: close,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isGood) resize.mutate()
  }
  return (
    <Dialog open close={close} title="Resize">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">The program redraws for everyone who is watching.</p>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Columns"
            inputMode="numeric"
            value={cols}
            onChange={({ target }) => setCols(target.value)}
          />
          <TextField label="Rows" inputMode="numeric" value={rows} onChange={({ target }) => setRows(target.value)} />
        </div>
        {resize.error && (
          <p role="alert" className="text-stop">
            {errorText(resize.error).message} {errorText(resize.error).hint}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" tone="main" disabled={!isGood || resize.isPending}>
            Resize
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The current screen as text, for copying and screen readers. */
function TextDialog({ id, close }: { id: string; close: () => void }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['screen', id],
    queryFn: () => client.terminalScreen({ params: { id }, query: { format: 'text' } }),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Dialog open close={close} title="Screen as text">
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data ? (
        <pre tabIndex={0} className="max-h-[60dvh] overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm">
          {safeText(data.screen).trimEnd()}
        </pre>
      ) : (
        <Loading />
      )}
      <DialogActions>
        <Button icon="refresh" onClick={() => void refetch()}>
          Refresh
        </Button>
        <Button tone="main" onClick={close}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
