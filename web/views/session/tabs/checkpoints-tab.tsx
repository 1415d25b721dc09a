import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Checkpoint } from '../../../../src/domain/checkpoint/schema.ts'
import type { Paths, RestoreAnswer } from '../../../../src/client/contract/checkpoints.ts'
import { hasEnded } from '../../../../src/domain/session/status.ts'
import { useClient } from '../../../api/backend.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField, CheckField } from '../../../ui/field.tsx'
import { Row, Rows } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast, useFailureToast } from '../../../ui/toasts.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { ContinueDialog } from '../steer/continue-dialog.tsx'

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
    <Time at={checkpoint.createdAt} />, {filesText(checkpoint.fileCount)}, {reasons[checkpoint.reason]}
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
      say({ title: 'Checkpoint created', body: `${filesText(fileCount)} saved.` })
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

const filesText = (count: number): string => (count === 1 ? '1 file' : `${count.toLocaleString()} files`)

type Props = { session: SessionDetail; checkpoint: Checkpoint; close: () => void }

/** Shows what would change, then restores, then offers to continue. */
function RestoreDialog({ session, checkpoint, close }: Props) {
  const client = useClient()
  const params = { id: checkpoint.id }
  const [removeNew, setRemoveNew] = useState(false)
  const [goOn, setGoOn] = useState(false)
  const differs = useQuery({
    queryKey: ['checkpoints', session.id, 'differs', checkpoint.id],
    queryFn: () => client.restoreCheckpoint({ params, body: { confirm: false } }),
    staleTime: 0,
    gcTime: 0,
  })
  const restore = useMutation({
    mutationFn: () => client.restoreCheckpoint({ params, body: { confirm: true, removeNew } }),
  })
  if (goOn) return <ContinueDialog kind="continue" session={session} checkpointId={checkpoint.id} close={close} />
  if (restore.data?.confirmed)
    return (
      <Dialog open close={close} title="Restored">
        <Done answer={restore.data} />
        <DialogActions>
          <Button onClick={close}>Done</Button>
          {session.protocolMode === 'acp' && (
            <Button tone="main" icon="play" onClick={() => setGoOn(true)}>
              Continue from here
            </Button>
          )}
        </DialogActions>
      </Dialog>
    )
  const diverged = differs.data?.confirmed === false ? differs.data.diverged : null
  const same = diverged !== null && diverged.modified.count + diverged.deleted.count + diverged.added.count === 0
  return (
    <Dialog open close={close} title={`Restore ${safeText(checkpoint.label ?? 'this checkpoint')}?`}>
      {differs.isPending && <Loading what="Comparing files…" />}
      {differs.isError && <Failed error={differs.error} retry={() => void differs.refetch()} />}
      {same && <p className="text-soft">Nothing to restore: no files have changed since.</p>}
      {diverged && !same && (
        <>
          <p className="text-soft">
            These files change. {hasEnded(session.status) ? '' : 'The agent is stopped first. '}
            The current files are kept as a checkpoint, so you can go back.
          </p>
          <PathList title="Restored" list={diverged.modified} />
          <PathList title="Recreated" list={diverged.deleted} />
          <PathList title={removeNew ? 'New since then' : 'New since then (kept)'} list={diverged.added} />
          {diverged.added.count > 0 && (
            <CheckField
              label="Remove new files"
              hint="Only files created by approved writes of this session and unchanged since."
              checked={removeNew}
              onChange={({ target }) => setRemoveNew(target.checked)}
            />
          )}
        </>
      )}
      {restore.isError && <Failed error={restore.error} />}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        {same ? (
          session.protocolMode === 'acp' && (
            <Button tone="main" onClick={() => setGoOn(true)}>
              Continue from here
            </Button>
          )
        ) : (
          <Button tone="stop" disabled={diverged === null || restore.isPending} onClick={() => restore.mutate()}>
            {restore.isPending ? 'Restoring…' : 'Restore'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function PathList({ title, list }: { title: string; list: Paths }) {
  if (list.count === 0) return null
  return (
    <section>
      <h3 className="text-sm font-semibold">
        {title} ({list.count.toLocaleString()})
      </h3>
      <ul
        tabIndex={0}
        aria-label={title}
        className="mt-1 max-h-40 overflow-y-auto rounded-lg bg-sunken px-3 py-2 font-mono text-sm"
      >
        {list.paths.map((path) => (
          <li key={path} className="break-all">
            {safeText(path)}
          </li>
        ))}
        {list.count > list.paths.length && <li>and {(list.count - list.paths.length).toLocaleString()} more</li>}
      </ul>
    </section>
  )
}

const Done = ({ answer }: { answer: Extract<RestoreAnswer, { confirmed: true }> }) => (
  <>
    <p>Files restored. The earlier state is kept as a new checkpoint.</p>
    <PathList title="Restored" list={answer.restored} />
    <PathList title="Recreated" list={answer.recreated} />
    <PathList title="Removed" list={answer.removed} />
    <PathList title="New since then (kept)" list={answer.kept} />
    {answer.failed.length > 0 && (
      <section role="alert">
        <h3 className="text-sm font-semibold text-stop">Could not be restored</h3>
        <ul className="text-sm">
          {answer.failed.map(({ path, why }) => (
            <li key={path} className="break-words">
              <code className="font-mono">{safeText(path)}</code>: {safeText(why)}
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
)
