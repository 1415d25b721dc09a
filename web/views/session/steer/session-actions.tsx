import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { hasEnded, mayBecome } from '../../../../src/domain/session/status.ts'
import type { UserId } from '../../../../src/domain/user/id.ts'
import { download } from '../../../api/download.ts'
import { useAction } from '../../../api/use-action.ts'
import { openPalette } from '../../../app/palette/palette-switch.ts'
import { useViewActions } from '../../../app/view-actions.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextField, SelectField } from '../../../ui/field.tsx'
import { useClient } from '../../../api/backend.tsx'
import { namesQuery } from '../../../api/queries.ts'
import { safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-hooks.ts'
import { canFork } from './agent-offers.ts'
import { ContinueDialog, useRecover } from './continue-dialog.tsx'
import { HandoverDialog } from './handover-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { ModeDialog } from './mode-dialog.tsx'
import { turnOf } from './current-turn.ts'

type OpenDialog = EndChoice | 'rename' | 'handover' | 'continue' | 'fork' | 'delegate' | 'mode' | null

/** Actions for a session: the likely ones beside the title, the rest in a menu. */
export function SessionActions({ session, mayAct, mine }: { session: SessionDetail; mayAct: boolean; mine: boolean }) {
  const { id, status, protocolMode, agentState } = session
  const [open, setOpen] = useState<OpenDialog>(null)
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
  const sleep = useSessionAction(id, {
    failed: 'Not put to sleep',
    run: (client) => client.sleepSession({ params: { id }, body: {} }),
    foresee: () => ({ activity: 'asleep' }),
  })
  const wake = useSessionAction(id, {
    failed: 'Not woken',
    run: (client) => client.wakeSession({ params: { id }, body: {} }),
    foresee: () => ({ activity: 'working' }),
  })
  const restartAgent = useSessionAction(id, {
    failed: 'The agent was not restarted',
    run: (client) => client.restartAgent({ params: { id }, body: {} }),
    foresee: () => ({ activity: 'working' }),
  })
  const pin = useSessionAction<boolean>(id, {
    failed: session.pinnedAt === null ? 'Not pinned' : 'Not unpinned',
    run: (client, pinned) => client.pinSession({ params: { id }, body: { pinned } }),
    foresee: (_session, pinned) => ({ pinnedAt: pinned ? new Date().toISOString() : null }),
  })
  const archive = useSessionAction<boolean>(id, {
    failed: session.archivedAt === null ? 'Not archived' : 'Not brought back',
    run: (client, archived) => client.archiveSession({ params: { id }, body: { archived } }),
    foresee: (_session, archived) => ({ archivedAt: archived ? new Date().toISOString() : null }),
  })
  const recover = useRecover(id)
  const save = useAction((format: 'markdown' | 'json') => exported(id, format), { failed: 'Not exported' })
  const turn = turnOf(session)
  const ended = hasEnded(status)

  const item = (when: boolean, one: MenuItem): MenuItem[] => (when ? [one] : [])
  const items: MenuItem[] = [
    ...item(mayAct && status === 'active', { label: 'Pause', icon: 'pause', run: () => pause.mutate() }),
    ...item(mayAct && protocolMode === 'acp' && session.activity === 'idle', {
      label: 'Put to sleep',
      icon: 'pause',
      run: () => sleep.mutate(),
    }),
    ...item(mayAct && protocolMode === 'acp' && status === 'active', {
      label: 'Restart agent',
      icon: 'refresh',
      run: () => restartAgent.mutate(),
    }),
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
    ...item(mayAct && ended && protocolMode === 'acp', {
      label: 'Continue as a new session',
      icon: 'play',
      run: () => setOpen('continue'),
    }),
    ...item(mine && protocolMode === 'acp' && canFork(agentState?.capabilities), {
      label: 'Fork',
      icon: 'branch',
      run: () => setOpen('fork'),
    }),
    ...item(mayAct && protocolMode === 'acp', {
      label: 'Hand over…',
      icon: 'jump',
      run: () => setOpen('handover'),
    }),
    ...item(mine, { label: 'Delegate…', icon: 'person', run: () => setOpen('delegate') }),
    ...item(mayAct && !ended, { label: 'Notification routing…', icon: 'bell', run: () => setOpen('mode') }),
    ...item(mayAct, { label: 'Rename…', icon: 'file', run: () => setOpen('rename') }),
    ...item(mayAct, {
      label: session.pinnedAt === null ? 'Pin' : 'Unpin',
      icon: 'pin',
      run: () => pin.mutate(session.pinnedAt === null),
    }),
    ...item(mayAct && (ended || session.archivedAt !== null), {
      label: session.archivedAt === null ? 'Archive' : 'Bring back from the archive',
      icon: 'archive',
      run: () => archive.mutate(session.archivedAt === null),
    }),
    { label: 'Export as Markdown', icon: 'file', run: () => save.mutate('markdown') },
    { label: 'Export as JSON', icon: 'file', run: () => save.mutate('json') },
  ]
  useViewActions(items)
  return (
    <>
      {mayAct && status === 'paused' && (
        <Button tone="main" icon="play" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {mayAct && status === 'active' && session.activity === 'asleep' && (
        <Button tone="main" icon="play" disabled={wake.isPending} onClick={() => wake.mutate()}>
          Wake
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
      <Menu trigger={<IconButton icon="more" label="More" tone="plain" />} items={[...items, jump]} />
      {(open === 'complete' || open === 'cancel' || open === 'terminate') && (
        <StopDialog session={session} ending={open} close={() => setOpen(null)} />
      )}
      {(open === 'continue' || open === 'fork') && (
        <ContinueDialog kind={open} session={session} close={() => setOpen(null)} />
      )}
      {open === 'handover' && <HandoverDialog session={session} close={() => setOpen(null)} />}
      {open === 'rename' && <RenameDialog session={session} close={() => setOpen(null)} />}
      {open === 'delegate' && <DelegateDialog session={session} close={() => setOpen(null)} />}
      {open === 'mode' && <ModeDialog session={session} close={() => setOpen(null)} />}
    </>
  )
}

/** Phones have no other way to the palette here. */
const jump: MenuItem = { label: 'Go to or do…', icon: 'jump', run: openPalette }

const exported = (id: string, format: 'markdown' | 'json'): Promise<void> =>
  download(
    `/api/sessions/${encodeURIComponent(id)}/export?format=${format}`,
    `session-${id.slice(0, 8)}.${format === 'json' ? 'json' : 'md'}`,
  )

type EndChoice = 'complete' | 'cancel' | 'terminate'

const endings = {
  complete: {
    title: 'End this session?',
    about: 'The agent ends normally. Files are kept, and you can continue as a new session.',
    sure: 'End session',
    status: 'completed',
  },
  cancel: {
    title: 'Cancel this session?',
    about: 'The agent is stopped and its open asks are withdrawn. Files are kept.',
    sure: 'Cancel session',
    status: 'cancelled',
  },
  terminate: {
    title: 'Force stop this session?',
    about: 'The agent and everything it started are killed immediately. Files may be half written.',
    sure: 'Force stop',
    status: 'terminated',
  },
} as const

/** Ends a session after a confirmation. */
function StopDialog({ session, ending, close }: { session: SessionDetail; ending: EndChoice; close: () => void }) {
  const { id } = session
  const { title, about, sure, status } = endings[ending]
  const [words, setWords] = useState('')
  const reason = words.trim() === '' ? null : words.trim()
  const stop = useSessionAction(id, {
    failed: 'The session was not ended',
    run: (client) => {
      const params = { id }
      if (ending === 'complete') return client.completeSession({ params, body: { reason } })
      if (ending === 'terminate') return client.terminateSession({ params, body: { reason } })
      return client.cancelSession({ params, ...(reason !== null && { query: { reason } }) })
    },
    foresee: () => ({ status }),
  })
  const submit = () => {
    stop.mutate()
    close()
  }
  return (
    <Dialog open close={close} title={title}>
      <p className="text-soft">{about}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label="Reason (optional)"
          maxLength={2000}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </form>
      <DialogActions>
        <Button onClick={close}>Keep session</Button>
        <Button tone={ending === 'complete' ? 'main' : 'stop'} onClick={submit}>
          {sure}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Adds and removes delegates of the session. */
function DelegateDialog({ session, close }: { session: SessionDetail; close: () => void }) {
  const { id, delegates, ownerUserId } = session
  const { data } = useQuery(namesQuery(useClient()))
  const [chosen, setChosen] = useState('')
  const give = useSessionAction<UserId>(id, {
    failed: 'Not delegated',
    run: (client, userId) => client.delegateSession({ params: { id, userId } }),
    foresee: (before, userId) => ({ delegates: [...before.delegates, userId] }),
  })
  const takeBack = useSessionAction<UserId>(id, {
    failed: 'Not removed',
    run: (client, userId) => client.undelegateSession({ params: { id, userId } }),
    foresee: (before, userId) => ({ delegates: before.delegates.filter((one) => one !== userId) }),
  })
  const people = data?.people ?? []
  const others = people.filter((person) => person.id !== ownerUserId && !delegates.includes(person.id))
  const target = others.find((person) => person.id === chosen)
  return (
    <Dialog open close={close} title="Delegate">
      <p className="text-soft">Delegates can answer, message and stop this agent like you.</p>
      {delegates.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {delegates.map((userId) => (
            <li key={userId} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1 truncate">
                {safeText(people.find((person) => person.id === userId)?.displayName ?? userId.slice(0, 8))}
              </span>
              <Button tone="quiet" onClick={() => takeBack.mutate(userId)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length === 0 ? (
        <p className="text-soft">No one else to delegate to. Add people in Settings.</p>
      ) : (
        <SelectField label="Person" value={chosen} onChange={({ target: { value } }) => setChosen(value)}>
          <option value="">Choose…</option>
          {others.map((person) => (
            <option key={person.id} value={person.id}>
              {safeText(person.displayName)}
            </option>
          ))}
        </SelectField>
      )}
      <DialogActions>
        <Button onClick={close}>Done</Button>
        {others.length > 0 && (
          <Button tone="main" disabled={!target} onClick={() => target && give.mutate(target.id)}>
            Delegate
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
