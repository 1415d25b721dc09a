import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { CheckpointId } from '../../../../src/domain/checkpoint/id.ts'
import { useClient } from '../../../api/backend.tsx'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { CheckField, TextArea } from '../../../ui/field.tsx'
import { StartError } from '../../sessions/start-error.tsx'
import { useSessionAction } from '../session-hooks.ts'

export function RecoverButton({ session: { id } }: { session: SessionDetail }) {
  const recover = useRecover(id)
  return (
    <Button tone="main" icon="refresh" disabled={recover.isPending} onClick={() => recover.mutate()}>
      {recover.isPending ? 'Recovering…' : 'Recover'}
    </Button>
  )
}

export const useRecover = (id: SessionDetail['id']) =>
  useSessionAction(id, {
    failed: 'Not recovered',
    run: (client) => client.recoverSession({ params: { id }, body: {} }),
  })

export function ContinueButton({ session }: { session: SessionDetail }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button tone="main" icon="play" onClick={() => setOpen(true)}>
        Continue
      </Button>
      {open && <ContinueDialog kind="continue" session={session} close={() => setOpen(false)} />}
    </>
  )
}

type Props = {
  kind: 'continue' | 'fork'
  session: SessionDetail
  checkpointId?: CheckpointId
  close: () => void
}

const words = {
  continue: {
    title: 'Continue as a new session',
    about: 'The agent continues with its memory in the same workspace. Queued messages are kept.',
    sure: 'Continue',
  },
  fork: {
    title: 'Fork',
    about: 'A new session continues from a copy of the conversation; this one does not change.',
    sure: 'Fork',
  },
}

/** Continues the session as a new one, or forks it. */
export function ContinueDialog({ kind, session, checkpointId, close }: Props) {
  const client = useClient()
  const navigate = useNavigate()
  const [prompt, setPrompt] = useState('')
  const [worktree, setWorktree] = useState(false)
  const { title, about, sure } = words[kind]
  const start = useMutation({
    mutationFn: () => {
      const params = { id: session.id }
      const say = prompt.trim() === '' ? {} : { prompt }
      return kind === 'fork'
        ? client.forkSession({ params, body: { ...say, worktree } })
        : client.restartSession({ params, body: { ...say, ...(checkpointId && { checkpointId }) } })
    },
    onSuccess: ({ id }) => {
      close()
      void navigate({ to: paths.session, params: { id } })
    },
  })
  return (
    <Dialog open close={close} title={checkpointId ? 'Continue from the checkpoint' : title}>
      <p className="text-soft">{about}</p>
      <TextArea
        label="First prompt"
        rows={3}
        autoFocus
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        hint={checkpointId ? 'Empty: the prompt of the checkpoint.' : 'Optional. If empty, it waits for you.'}
      />
      {kind === 'fork' && (
        <CheckField
          label="In a separate Git worktree"
          checked={worktree}
          onChange={({ target }) => setWorktree(target.checked)}
        />
      )}
      {start.isError && <StartError error={start.error} />}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button tone="main" disabled={start.isPending} onClick={() => start.mutate()}>
          {start.isPending ? 'Starting…' : sure}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
