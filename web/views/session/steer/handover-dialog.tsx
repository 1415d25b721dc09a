import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { useClient } from '../../../api/backend.tsx'
import { agentsQuery } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { SelectField, TextArea } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { StartError } from '../../sessions/start-error.tsx'

/** Another agent takes over: the session ends, and its successor opens. */
export function HandoverDialog({ session, close }: { session: SessionDetail; close: () => void }) {
  const client = useClient()
  const navigate = useNavigate()
  const { data } = useQuery(agentsQuery(client))
  const [chosen, setChosen] = useState('')
  const [prompt, setPrompt] = useState('')
  const agents = (data?.agents ?? []).filter(({ installed, name }) => installed && name !== session.agent)
  const start = useMutation({
    mutationFn: () =>
      client.handOverSession({
        params: { id: session.id },
        body: { agent: chosen, ...(prompt.trim() !== '' && { prompt }) },
      }),
    onSuccess: ({ id }) => {
      close()
      void navigate({ to: paths.session, params: { id } })
    },
  })
  return (
    <Dialog open close={close} title="Hand over">
      <p className="text-soft">
        Another agent continues in the same folder. It is told the task, the plan, the change and the latest messages.
        This session ends.
      </p>
      {data && agents.length === 0 ? (
        <p className="text-soft">No other agent is installed.</p>
      ) : (
        <SelectField label="Agent" value={chosen} onChange={({ target: { value } }) => setChosen(value)}>
          <option value="">Choose…</option>
          {agents.map(({ name, title }) => (
            <option key={name} value={name}>
              {safeText(title)}
            </option>
          ))}
        </SelectField>
      )}
      <TextArea
        label="What to do next"
        rows={3}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        hint="Optional. If empty, it continues with what is not done."
      />
      {start.isError && <StartError error={start.error} />}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button tone="main" disabled={chosen === '' || start.isPending} onClick={() => start.mutate()}>
          {start.isPending ? 'Starting…' : 'Hand over'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
