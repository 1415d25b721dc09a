import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Failed } from '../../ui/states.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { wordMatches, regexMatches } from './match-pieces.ts'

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

type SearchTerms = { q: string; regex: boolean }

/** Text of agents and programs, with matches highlighted. */
export const HighlightedText = ({ text, sought }: { text: string; sought: SearchTerms }) => {
  const safe = clip(safeText(text), 1000)
  const pieces = sought.regex ? regexMatches(safe, sought.q) : wordMatches(safe, [sought.q, ...sought.q.split(/\s+/)])
  return pieces.map(({ text: piece, isHit }, index) =>
    isHit ? (
      <mark key={index} className="rounded-sm bg-wait-soft px-0.5 font-semibold text-wait">
        {piece}
      </mark>
    ) : (
      <span key={index}>{piece}</span>
    ),
  )
}
