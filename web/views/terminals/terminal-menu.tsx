import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import type { TerminalView } from '../../terminal/terminal-text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { useToast, useFailureToast } from '../../ui/toasts.tsx'
import { ResizeDialog } from './resize-dialog.tsx'
import { TextDialog } from './text-dialog.tsx'

type Open = 'text' | 'size' | 'stop' | 'end' | null

/** Rare actions on a terminal. */
export function TerminalMenu({ terminal, mayAct }: { terminal: TerminalView; mayAct: boolean }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const { sessionId: id, state, command } = terminal
  const isLive = state === 'active'
  const items: MenuItem[] = [
    { label: 'Screen as text', icon: 'copy', run: () => setOpen('text') },
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
