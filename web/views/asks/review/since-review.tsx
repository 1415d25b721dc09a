import { useQuery } from '@tanstack/react-query'
import { Suspense, use, useMemo, useState, type ReactNode } from 'react'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { Button } from '../../../ui/button.tsx'
import { PlainText } from '../body-parts.tsx'
import { EditsChange } from '../change.tsx'
import type { Edit } from '../tool-call.ts'
import { useActorName } from '../use-names.ts'

// Reading diffs is loaded with the first comparison.
const load = () => import('./proposal.ts')
const earlierAsks = 20

/** After a rejection: how the agent's next change differs from the rejected one. */
export function SinceReview({ ask, children }: { ask: Ask; children: ReactNode }) {
  const client = useClient()
  const { sessionId, kind, status } = ask
  const { data } = useQuery({
    queryKey: ['ask', ask.id, 'reviewed'],
    queryFn: async () => {
      const query = {
        order: 'answered' as const,
        sessionId: sessionId ?? '',
        kind: 'diff,permission',
        limit: earlierAsks,
      }
      const [{ asks }, { lastReviewed }] = await Promise.all([client.listAsks({ query }), load()])
      return lastReviewed(asks, ask)
    },
    enabled: sessionId !== null && status === 'open' && (kind === 'diff' || kind === 'permission'),
    staleTime: 60_000,
    retry: false,
  })
  // Kept at the same place, so that nothing in it is lost when the comparison arrives.
  return (
    <Comparison before={data ?? null} now={ask}>
      {children}
    </Comparison>
  )
}

type ComparisonProps = { before: Ask | null; now: Ask; children: ReactNode }

/** Either the whole change or what differs. */
function Comparison({ before, now, children }: ComparisonProps) {
  const [open, setOpen] = useState(false)
  const who = useActorName()(before?.answeredBy ?? null)
  const title = who === 'you' ? 'Changes since your review' : 'Changes since the last review'
  const isShown = open && before !== null
  return (
    <>
      {before !== null && (
        <Button className="self-start" aria-pressed={open} onClick={() => setOpen(!open)}>
          {open ? 'Show the whole change' : title}
        </Button>
      )}
      {isShown && <SinceThen title={title} before={before} now={now} />}
      <div hidden={isShown} className="flex min-w-0 flex-col gap-4 [&[hidden]]:hidden">
        {children}
      </div>
    </>
  )
}

function SinceThen({ title, before, now }: { title: string; before: Ask; now: Ask }) {
  // Made here: what suspends would make it again.
  const made = useMemo(() => load().then(({ changesBetween }) => changesBetween(before, now)), [before.id, now.id])
  const reason = before.answer !== null && 'reason' in before.answer ? before.answer.reason : null
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3">
      {reason !== null && reason !== '' && <PlainText text={reason} />}
      <Suspense fallback={null}>
        <Edits made={made} />
      </Suspense>
    </section>
  )
}

function Edits({ made }: { made: Promise<Edit[]> }) {
  const edits = use(made)
  return edits.length === 0 ? (
    <p className="text-sm text-soft">It proposes the same as before.</p>
  ) : (
    <EditsChange edits={edits} label="Changes since the review" />
  )
}
