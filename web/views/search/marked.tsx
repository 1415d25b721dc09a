import { clip, safeText } from '../../ui/safe-text.ts'
import { marksOf, regexMarksOf } from './marks.ts'

export type Sought = { q: string; regex: boolean }

/** Text of agents and programs, with what was looked for standing out. */
export const Marked = ({ text, sought }: { text: string; sought: Sought }) => {
  const safe = clip(safeText(text), 1000)
  const pieces = sought.regex ? regexMarksOf(safe, sought.q) : marksOf(safe, [sought.q, ...sought.q.split(/\s+/)])
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
