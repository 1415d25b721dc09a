import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Checkpoint } from '../../../../src/domain/checkpoint/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Row, Rows } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast, useFailureToast } from '../../../ui/toasts.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

const reasons: Readonly<Record<Checkpoint['reason'], string>> = {
  tool: 'made by the agent',
  person: 'made by a person',
  start: 'made at the start',
  before_restore: 'made before a restore',
}

/** Saved states of the workspace. */
export function CheckpointsTab({ session, mayAct }: { session: SessionDetail; mayAct: boolean }) {
  const client = useClient()
  const { id } = session
  const [restoring, setRestoring] = useState<Checkpoint | null>(null)
  const list = useQuery({ queryKey: ['checkpoints', id], queryFn: () => client.listCheckpoints({ params: { id } }) })
  return (
    <>
      {mayAct && <NewCheckpoint session={session} />}
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data?.checkpoints.length === 0 && (
        <Empty icon="flag" title="No checkpoint yet">
          <p>A checkpoint saves all files of the workspace that are not ignored, so you can go back.</p>
        </Empty>
      )}
      {list.data && list.data.checkpoints.length > 0 && (
        <Rows label="Checkpoints, newest first">
          {list.data.checkpoints.map((checkpoint) => (
            <Row
              key={checkpoint.id}
              title={safeText(checkpoint.label ?? 'No label')}
              about={<About checkpoint={checkpoint} own={checkpoint.sessionId === id} />}
            >
              {mayAct && (
                <Button icon="undo" onClick={() => setRestoring(checkpoint)}>
                  Restore…
                </Button>
              )}
            </Row>
          ))}
        </Rows>
      )}
      {restoring && <RestoreDialog session={session} checkpoint={restoring} close={() => setRestoring(null)} />}
    </>
  )
}

const About = ({ checkpoint, own }: { checkpoint: Checkpoint; own: boolean }) => (
  <>
    <Time at={checkpoint.createdAt} />, {checkpoint.fileCount.toLocaleString()} files, {reasons[checkpoint.reason]}
    {!own && ', in an earlier session'}
    {checkpoint.notKept.count > 0 && (
      <span
        className="text-wait"
        title={checkpoint.notKept.files.map(({ path, why }) => `${safeText(path)}: ${why}`).join('\n')}
      >
        , {checkpoint.notKept.count} not saved
      </span>
    )}
  </>
)

function NewCheckpoint({ session: { id } }: { session: SessionDetail }) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const sayFailed = useFailureToast()
  const [label, setLabel] = useState('')
  const create = useMutation({
    mutationFn: () =>
      client.createCheckpoint({ params: { id }, body: label.trim() === '' ? {} : { label: label.trim() } }),
    onSuccess: ({ fileCount }) => {
      setLabel('')
      say({ title: 'Checkpoint created', body: `${fileCount.toLocaleString()} files saved.` })
      void queries.invalidateQueries({ queryKey: ['checkpoints', id] })
    },
    onError: (error) => sayFailed(error, 'Checkpoint failed'),
  })
  return (
    <form
      className="flex flex-col gap-2 sm:flex-row sm:items-end"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <div className="min-w-0 flex-1">
        <TextField
          label="New checkpoint"
          maxLength={200}
          value={label}
          onChange={({ target }) => setLabel(target.value)}
          placeholder="Label (optional)"
        />
      </div>
      <Button type="submit" tone="main" icon="flag" disabled={create.isPending}>
        {create.isPending ? 'Saving files…' : 'Make checkpoint'}
      </Button>
    </form>
  )
}
