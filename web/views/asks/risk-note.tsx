import { riskWords } from '../../../src/domain/ask/about.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { clip, safeText } from '../../ui/safe-text.ts'

/** The risk as judged by Signalbox and as claimed by the agent; nothing if both are low. */
export function RiskNote({ ask, short = false }: { ask: Ask; short?: boolean }) {
  const words = riskWords(ask)
  if (words === '') return null
  const colour = ask.judgedRisk === 'low' ? 'text-soft' : ask.judgedRisk === 'critical' ? 'text-stop' : 'text-wait'
  return (
    <span className={`block break-words ${colour} ${short ? 'line-clamp-2 text-xs' : 'text-sm'}`}>
      {clip(safeText(words), short ? 200 : 1000)}
    </span>
  )
}
