import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Failed } from '../../ui/states.tsx'

/** Results of one kind. */
export function ResultGroup({
  title,
  error,
  retry,
  count,
  note,
  children,
}: {
  title: string
  error: unknown
  retry: () => void
  /** Undefined while searching. */
  count: number | undefined
  note?: ReactNode
  children: ReactNode
}) {
  return (
    <section aria-label={title} aria-busy={count === undefined && !error}>
      <h2 className="mb-2 flex items-baseline gap-2 font-semibold">
        {title}
        <span role="status" className="text-sm font-normal text-soft">
          {error ? '' : count === undefined ? 'searching…' : count === 0 ? 'no results' : count}
        </span>
      </h2>
      {error ? (
        <Failed error={error} retry={retry} />
      ) : count ? (
        <Card className="overflow-hidden">{children}</Card>
      ) : null}
      {note && <div className="mt-2 text-sm text-soft">{note}</div>}
    </section>
  )
}
