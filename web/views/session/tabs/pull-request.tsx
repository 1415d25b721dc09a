import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullRequestPlan } from '../../../../src/client/contract/pull-requests.ts'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { useClient } from '../../../api/backend.tsx'
import { AgentLink } from '../../../ui/agent-link.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { CheckField, TextArea, TextField } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Failed, Loading } from '../../../ui/states.tsx'

type Words = { title: string; body: string; into: string; draft: boolean }

/** Opens a pull request: first its words, then what will run, then the link. */
export function PullRequestButton({ id }: { id: SessionDetail['id'] }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon="branch" onClick={() => setOpen(true)}>
        Pull request…
      </Button>
      {open && <PullRequestDialog id={id} close={() => setOpen(false)} />}
    </>
  )
}

function PullRequestDialog({ id, close }: { id: SessionDetail['id']; close: () => void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [typed, setWords] = useState<Words | null>(null)
  const [isReady, setReady] = useState(false)
  const first = useQuery({
    queryKey: ['change', id, 'pull-request'],
    queryFn: () => client.planPullRequest({ params: { id }, body: {} }),
    retry: false,
    gcTime: 0,
  })
  const look = useMutation({
    mutationFn: (given: Words) => client.planPullRequest({ params: { id }, body: bodyOf(given) }),
    onSuccess: () => setReady(true),
  })
  const run = useMutation({
    mutationFn: ({ commit, address, title, body, into, draft }: PullRequestPlan) =>
      client.openPullRequest({
        params: { id },
        body: { title, body, draft, ...(into !== null && { into }), commit, address },
      }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['change', id] }),
  })
  const plan = look.data ?? first.data
  const words = typed ?? (first.data ? wordsOf(first.data) : null)
  return (
    <Dialog open close={close} title="Pull request">
      {first.isPending && <Loading what="Looking at the remote…" />}
      {first.isError && <Failed error={first.error} retry={() => void first.refetch()} />}
      {look.isError && <Failed error={look.error} />}
      {plan?.existing && !run.data && <Existing found={plan.existing} />}
      {run.data ? (
        <p role="status">
          {run.data.outcome === 'opened' ? 'Opened: ' : 'Pushed. It is open already: '}
          <AgentLink href={run.data.url}>{safeText(run.data.url)}</AgentLink>
        </p>
      ) : (
        words && plan && (isReady ? <Steps plan={plan} /> : <Form plan={plan} words={words} change={setWords} />)
      )}
      {run.isError && <Failed error={run.error} />}
      <DialogActions>
        <Button onClick={close}>{run.data ? 'Close' : 'Cancel'}</Button>
        {!run.data && isReady && plan && (
          <>
            <Button disabled={run.isPending} onClick={() => setReady(false)}>
              Back
            </Button>
            {plan.steps.length > 0 && (
              <Button tone="main" disabled={run.isPending} onClick={() => run.mutate(plan)}>
                {run.isPending ? 'Working…' : plan.existing?.state === 'open' ? 'Push' : 'Push and open'}
              </Button>
            )}
          </>
        )}
        {!run.data && !isReady && words && (
          <Button tone="main" disabled={words.title.trim() === '' || look.isPending} onClick={() => look.mutate(words)}>
            {look.isPending ? 'Looking…' : 'Next'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

const wordsOf = ({ title, body, into, draft }: PullRequestPlan): Words => ({ title, body, into: into ?? '', draft })

const bodyOf = ({ title, body, into, draft }: Words) => ({
  title: title.trim(),
  body,
  draft,
  ...(into.trim() !== '' && { into: into.trim() }),
})

const signals = { open: 'clear', merged: 'info', closed: 'plain' } as const

const Existing = ({ found: { number, url, title, state } }: { found: NonNullable<PullRequestPlan['existing']> }) => (
  <p className="break-words">
    <Badge signal={signals[state]}>{state}</Badge>{' '}
    <AgentLink href={url}>
      #{number} {safeText(title)}
    </AgentLink>
  </p>
)

type FormProps = { plan: PullRequestPlan; words: Words; change: (words: Words) => void }

function Form({ plan, words, change }: FormProps) {
  return (
    <>
      <p className="text-sm break-all text-soft">
        <code className="font-mono">{safeText(plan.branch)}</code> at{' '}
        <code className="font-mono">{safeText(plan.repo)}</code>
      </p>
      {plan.uncommitted > 0 && (
        <p className="text-sm text-wait">
          {plan.uncommitted === 1 ? '1 file is' : `${plan.uncommitted} files are`} not committed, and not part of it.
        </p>
      )}
      <TextField
        label="Title"
        maxLength={250}
        value={words.title}
        onChange={({ target }) => change({ ...words, title: target.value })}
      />
      <TextArea
        label="Description"
        className="min-h-24!"
        value={words.body}
        onChange={({ target }) => change({ ...words, body: target.value })}
      />
      <TextField
        label="Into"
        hint="Empty: the branch it came from, else the default one there."
        value={words.into}
        onChange={({ target }) => change({ ...words, into: target.value })}
      />
      <CheckField
        label="Draft"
        checked={words.draft}
        onChange={({ target }) => change({ ...words, draft: target.checked })}
      />
    </>
  )
}

/** Exactly what will run, word by word. */
const Steps = ({ plan: { steps, tool } }: { plan: PullRequestPlan }) =>
  steps.length === 0 ? (
    <p>Everything is pushed already.</p>
  ) : (
    <>
      <p className="text-soft">This runs on the server, with its sign-in of git and {tool}:</p>
      {steps.map((words) => (
        <pre
          key={words.slice(0, 3).join(' ')}
          tabIndex={0}
          className="max-h-48 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm break-words whitespace-pre-wrap"
        >
          {words
            .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word)))
            .map(safeText)
            .join(' ')}
        </pre>
      ))}
    </>
  )
