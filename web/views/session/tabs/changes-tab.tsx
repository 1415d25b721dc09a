import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { MergeAnswer, WholeChange } from '../../../../src/client/contract/changes.ts'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { hasEnded } from '../../../../src/domain/session/status.ts'
import { useClient } from '../../../api/backend.tsx'
import { ApiError } from '../../../api/transport.ts'
import { DiffView } from '../../../diff/diff-view.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toasts.tsx'
import { usePermissions } from '../../../api/queries.ts'
import { PullRequestButton } from './pull-request.tsx'

type Props = { session: SessionDetail; mayAct: boolean }

/** The whole change of a session in Git, to look at, commit and merge. */
export function ChangesTab({ session, mayAct }: Props) {
  const client = useClient()
  const { id } = session
  const { machine } = usePermissions()
  const found = useQuery({
    queryKey: ['change', id],
    queryFn: () => client.sessionChange({ params: { id } }),
    // Git reads every file for it, so it is asked when somebody looks, not again and again.
    staleTime: 0,
    retry: false,
  })
  if (found.isPending) return <Loading what="Comparing files…" />
  if (!found.data) {
    const code = found.error instanceof ApiError ? found.error.code : ''
    if (code === 'path_not_found')
      return (
        <Empty icon="file" title="The workspace is gone">
          <p>Its files were removed. What was committed is in the repository.</p>
        </Empty>
      )
    if (code !== 'not_a_repo' && code !== 'repo_without_commit')
      return <Failed error={found.error} retry={() => void found.refetch()} />
    return (
      <Empty icon="file" title="No changes to compare">
        <p>The workspace is not a Git repository with a commit.</p>
      </Empty>
    )
  }
  const change = found.data
  const isEmpty = change.files.length === 0 && change.commits.length === 0
  return (
    <>
      <Summary change={change} refresh={() => void found.refetch()} busy={found.isFetching} />
      <SharedNote count={change.sharedWith} />
      {mayAct && !isEmpty && <Actions session={session} change={change} />}
      {change.commits.length > 0 && <Commits change={change} />}
      {isEmpty && (
        <Empty icon="file" title="No changes yet">
          <p>What the agent changes in the workspace is shown here, committed or not.</p>
        </Empty>
      )}
      {mayAct && machine && change.branch !== null && change.commits.length > 0 && (
        <div>
          <PullRequestButton id={id} />
        </div>
      )}
      {mayAct && change.worktree && hasEnded(session.status) && <RemoveWorktree id={id} />}
      {change.diff !== '' && <DiffView diff={change.diff} label="the whole change" />}
      {change.truncated && <p className="text-sm text-wait">The change is too large to be shown whole.</p>}
    </>
  )
}

/** Two agents in one directory overwrite each other. */
export const SharedNote = ({ count }: { count: number }) =>
  count > 0 && (
    <p role="note" className="text-sm text-wait">
      {count === 1 ? 'Another agent works' : `${count} other agents work`} in the same directory. A separate worktree
      keeps their changes apart.
    </p>
  )

const Summary = ({ change, refresh, busy }: { change: WholeChange; refresh: () => void; busy: boolean }) => (
  <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
    <span className="min-w-0 break-words">
      {change.branch === null ? (
        'No branch'
      ) : (
        <code className="font-mono break-all text-text">{safeText(change.branch)}</code>
      )}
      {change.into !== null && (
        <>
          {' '}
          from <code className="font-mono break-all text-text">{safeText(change.into)}</code>
        </>
      )}
    </span>
    {change.merged && <Badge signal="clear">merged</Badge>}
    {change.uncommitted > 0 && <Badge signal="wait">{filesText(change.uncommitted)} not committed</Badge>}
    <Button tone="quiet" onClick={refresh} disabled={busy}>
      {busy ? 'Comparing…' : 'Compare again'}
    </Button>
  </div>
)

const filesText = (count: number): string => (count === 1 ? '1 file' : `${count.toLocaleString()} files`)

const Commits = ({ change }: { change: WholeChange }) => (
  <section>
    <h2 className="text-sm font-semibold">Commits ({change.commits.length})</h2>
    <ul className="mt-1 flex flex-col gap-1 text-sm">
      {change.commits.map(({ id, subject, at }) => (
        <li key={id} className="flex flex-wrap gap-x-2">
          <code className="font-mono text-soft">{id.slice(0, 10)}</code>
          <span className="min-w-0 break-words">{safeText(subject)}</span>
          <span className="text-soft">
            <Time at={new Date(at).toISOString()} />
          </span>
        </li>
      ))}
    </ul>
  </section>
)

/** Commit, then merge: the next step is offered first. */
function Actions({ session: { id }, change }: { session: SessionDetail; change: WholeChange }) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const [message, setMessage] = useState<string | null>(null)
  const [conflict, setConflict] = useState<Extract<MergeAnswer, { outcome: 'conflict' }> | null>(null)
  const again = () => void queries.invalidateQueries({ queryKey: ['change', id] })
  const commit = useMutation({
    mutationFn: () =>
      client.commitSession({ params: { id }, body: message?.trim() ? { message: message.trim() } : {} }),
    onSuccess: ({ files, branch }) => {
      setMessage(null)
      say({ title: 'Committed', body: `${filesText(files)} on ${safeText(branch)}.` })
      again()
    },
  })
  const merge = useMutation({
    mutationFn: (how: 'merge' | 'rebase') => client.mergeSession({ params: { id }, body: { how } }),
    onSuccess: (done) => {
      if (done.outcome === 'conflict') return setConflict(done)
      say({ title: 'Merged', body: `${safeText(done.branch)} is in ${safeText(done.into)}.` })
      again()
    },
  })
  const busy = commit.isPending || merge.isPending
  if (change.uncommitted === 0 && (!change.worktree || change.merged)) return null
  return (
    <Card className="flex flex-col gap-3 p-4">
      {change.uncommitted > 0 ? (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            commit.mutate()
          }}
        >
          <TextArea
            label="Commit message"
            rows={2}
            value={message ?? change.proposedMessage}
            onChange={({ target }) => setMessage(target.value)}
            hint="All files that are not ignored. No hook runs."
          />
          <div>
            <Button type="submit" tone="main" disabled={busy}>
              {commit.isPending ? 'Committing…' : `Commit ${filesText(change.uncommitted)}`}
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button tone="main" disabled={busy} onClick={() => merge.mutate('merge')}>
            {merge.isPending ? 'Merging…' : `Merge into ${safeText(change.into ?? 'its branch')}`}
          </Button>
          <Button disabled={busy} onClick={() => merge.mutate('rebase')}>
            Rebase and merge
          </Button>
        </div>
      )}
      {commit.isError && <Failed error={commit.error} />}
      {merge.isError && <Failed error={merge.error} />}
      {conflict && <ConflictDialog conflict={conflict} close={() => setConflict(null)} />}
    </Card>
  )
}

/** Asks again if work would be lost. */
function RemoveWorktree({ id }: { id: SessionDetail['id'] }) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const remove = useMutation({
    mutationFn: (confirm: boolean) => client.removeWorktree({ params: { id }, body: { confirm } }),
    onSuccess: ({ branchKept }) => {
      const kept =
        branchKept === null ? 'Its branch had no commits of its own.' : `The branch ${safeText(branchKept)} was kept.`
      say({ title: 'Worktree removed', body: kept })
      // There is nothing left to compare.
      void queries.resetQueries({ queryKey: ['change', id] })
    },
  })
  const { error } = remove
  const lost = error instanceof ApiError && error.code === 'work_would_be_lost' ? error.message : null
  return (
    <div className="flex flex-col items-start gap-2">
      <Button disabled={remove.isPending} onClick={() => remove.mutate(false)}>
        Remove worktree…
      </Button>
      {remove.isError && lost === null && <Failed error={error} />}
      {lost !== null && (
        <Dialog open close={remove.reset} title="Remove the worktree?">
          <p>{safeText(lost)}</p>
          <p className="text-soft">Uncommitted changes will be lost. Commits stay on the branch.</p>
          <DialogActions>
            <Button onClick={remove.reset}>Cancel</Button>
            <Button tone="stop" onClick={() => remove.mutate(true)}>
              Remove
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

type ConflictProps = { conflict: Extract<MergeAnswer, { outcome: 'conflict' }>; close: () => void }

const ConflictDialog = ({ conflict, close }: ConflictProps) => (
  <Dialog open close={close} title="The same lines were changed">
    <p className="text-soft">
      Nothing was changed. Ask the agent to merge {safeText(conflict.into)} into its branch and solve the conflicts.
    </p>
    {conflict.conflicts.map(({ path, text }) => (
      <section key={path}>
        <h3 className="font-mono text-sm break-all">{safeText(path)}</h3>
        {text !== null && (
          <pre tabIndex={0} className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm">
            {safeText(text)}
          </pre>
        )}
      </section>
    ))}
    <DialogActions>
      <Button onClick={close}>Close</Button>
    </DialogActions>
  </Dialog>
)
