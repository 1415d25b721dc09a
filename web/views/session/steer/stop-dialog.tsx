import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useSessionAction } from '../session-query.ts'

export type Ending = 'complete' | 'cancel' | 'terminate'

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
export function StopDialog({ session, ending, close }: { session: SessionDetail; ending: Ending; close: () => void }) {
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
