import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { hasEnded, mayBecome } from '../../../../src/domain/session/status.ts'
import { download } from '../../../api/download.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { useSessionAction } from '../session-query.ts'
import { canFork } from './agent-offers.ts'
import { DelegateDialog } from './delegate-dialog.tsx'
import { ContinueDialog, useRecover } from './continue-dialog.tsx'
import { ModeDialog } from './mode-dialog.tsx'
import { StopDialog, type Ending } from './stop-dialog.tsx'
import { turnOf } from './current-turn.ts'

type Open = Ending | 'continue' | 'fork' | 'delegate' | 'mode' | null

/** Actions for a session: the likely ones beside the title, the rest in a menu. */
export function SessionActions({ session, mayAct, mine }: { session: SessionDetail; mayAct: boolean; mine: boolean }) {
  const { id, status, protocolMode, agentState } = session
  const [open, setOpen] = useState<Open>(null)
  const pause = useSessionAction(id, {
    failed: 'Not paused',
    run: (client) => client.pauseSession({ params: { id }, body: {} }),
    foresee: () => ({ status: 'paused' }),
  })
  const resume = useSessionAction(id, {
    failed: 'Not resumed',
    run: (client) => client.resumeSession({ params: { id }, body: {} }),
    foresee: () => ({ status: 'active' }),
  })
  const cancelTurn = useSessionAction(id, {
    failed: 'The turn was not cancelled',
    run: (client) => client.cancelTurn({ params: { id } }),
    foresee: ({ agentState: state }) =>
      state?.turn ? { agentState: { ...state, turn: { ...state.turn, cancelled: true } } } : {},
  })
  const recover = useRecover(id)
  const save = useAction((format: 'markdown' | 'json') => exported(id, format), { failed: 'Not exported' })
  const turn = turnOf(session)
  const ended = hasEnded(status)

  const item = (when: boolean, one: MenuItem): MenuItem[] => (when ? [one] : [])
  const items: MenuItem[] = [
    ...item(mayAct && status === 'active', { label: 'Pause', icon: 'pause', run: () => pause.mutate() }),
    ...item(mayAct && mayBecome(status, 'completed'), {
      label: 'End session',
      icon: 'check',
      run: () => setOpen('complete'),
    }),
    ...item(mayAct && mayBecome(status, 'cancelled'), {
      label: 'Cancel session',
      icon: 'cross',
      run: () => setOpen('cancel'),
    }),
    ...item(mayAct && mayBecome(status, 'terminated'), {
      label: 'Force stop',
      icon: 'stop',
      bad: true,
      run: () => setOpen('terminate'),
    }),
    ...item(mayAct && ended && protocolMode !== 'terminal', {
      label: 'Continue as a new session',
      icon: 'play',
      run: () => setOpen('continue'),
    }),
    ...item(mine && protocolMode === 'acp' && canFork(agentState?.capabilities), {
      label: 'Fork',
      icon: 'branch',
      run: () => setOpen('fork'),
    }),
    ...item(mine, { label: 'Delegate…', icon: 'person', run: () => setOpen('delegate') }),
    ...item(mayAct && !ended, { label: 'Notification routing…', icon: 'bell', run: () => setOpen('mode') }),
    { label: 'Export as Markdown', icon: 'file', run: () => save.mutate('markdown') },
    { label: 'Export as JSON', icon: 'file', run: () => save.mutate('json') },
  ]
  return (
    <>
      {mayAct && status === 'paused' && (
        <Button tone="main" icon="play" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {mayAct && status === 'interrupted' && (
        <Button tone="main" icon="refresh" disabled={recover.isPending} onClick={() => recover.mutate()}>
          Recover
        </Button>
      )}
      {mayAct && turn && status === 'active' && (
        <Button icon="stop" disabled={turn.cancelled} onClick={() => cancelTurn.mutate()}>
          <span className="sr-only sm:not-sr-only">Cancel turn</span>
        </Button>
      )}
      <Menu trigger={<IconButton icon="more" label="More" tone="plain" />} items={items} />
      {(open === 'complete' || open === 'cancel' || open === 'terminate') && (
        <StopDialog session={session} ending={open} close={() => setOpen(null)} />
      )}
      {(open === 'continue' || open === 'fork') && (
        <ContinueDialog kind={open} session={session} close={() => setOpen(null)} />
      )}
      {open === 'delegate' && <DelegateDialog session={session} close={() => setOpen(null)} />}
      {open === 'mode' && <ModeDialog session={session} close={() => setOpen(null)} />}
    </>
  )
}

const exported = (id: string, format: 'markdown' | 'json'): Promise<void> =>
  download(
    `/api/sessions/${encodeURIComponent(id)}/export?format=${format}`,
    `session-${id.slice(0, 8)}.${format === 'json' ? 'json' : 'md'}`,
  )
