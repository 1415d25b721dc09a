import { lazy, Suspense, use, useMemo } from 'react'
import type { DiffReview } from '../../diff/line-comments.ts'
import type { Edit } from './tool-call.ts'

// The diff view is loaded with the first diff.
const load = () => import('../../diff/diff-view.tsx').then(({ DiffView: view }) => ({ default: view }))
const DiffView = lazy(load)

/** Reserves space while it loads, so that nothing below jumps. */
const Waiting = () => (
  <p role="status" className="animate-late min-h-64 p-4 text-soft">
    Loading the diff…
  </p>
)

type Reviewed = { label: string; review?: DiffReview | null }

export const Change = (shown: Reviewed & { diff: string; whole?: string | undefined }) => (
  <Suspense fallback={<Waiting />}>
    <DiffView {...shown} />
  </Suspense>
)

/** A change as reported by an agent: old and new text of each file. */
export function EditsChange({ edits, ...shown }: Reviewed & { edits: readonly Edit[] }) {
  const key = JSON.stringify(edits)
  // Compare by content, not by identity.
  const made = useMemo(() => {
    // Loaded together with the view.
    void load()
    return import('./edits-diff.ts').then(({ diffOfEdits }) => diffOfEdits(edits))
  }, [key])
  return (
    <Suspense fallback={<Waiting />}>
      <Made made={made} {...shown} />
    </Suspense>
  )
}

const Made = ({ made, ...shown }: Reviewed & { made: Promise<string> }) => <Change diff={use(made)} {...shown} />
