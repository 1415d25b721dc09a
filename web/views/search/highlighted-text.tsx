import { clip, safeText } from '../../ui/safe-text.ts'
import { wordMatches, regexMatches } from './match-pieces.ts'

export type SearchTerms = { q: string; regex: boolean }

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
