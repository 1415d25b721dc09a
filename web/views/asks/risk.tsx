import { claimsRisk, riskWords } from '../../../src/domain/ask/about.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { Badge, type Signal } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'

type RiskMark = { words: string; signal: Signal }

/** Our own judgement in our words; what only the agent claims as its word. Null: nobody says anything. */
export function riskMark(ask: Pick<Ask, 'claimedRisk' | 'judgedRisk' | 'subject' | 'origin'>): RiskMark | null {
  const { claimedRisk, judgedRisk, subject } = ask
  if (subject.kind === 'terminal_prompt' && subject.dangerous) return { words: 'Dangerous', signal: 'stop' }
  if (judgedRisk === 'critical') return { words: 'Critical', signal: 'stop' }
  if (claimedRisk === 'critical') return { words: 'Agent says critical', signal: 'stop' }
  if (judgedRisk === 'high') return { words: 'High risk', signal: 'wait' }
  if (claimedRisk === 'high') return { words: 'Agent says high risk', signal: 'wait' }
  return claimsRisk(ask) ? { words: 'Agent says low risk', signal: 'plain' } : null
}

export function RiskBadge({ ask }: { ask: Ask }) {
  const mark = riskMark(ask)
  return mark && <Badge signal={mark.signal}>{mark.words}</Badge>
}

/** Why Signalbox judges the risk higher than low, and what the agent says. What only the agent says is on the badge. */
export function RiskNote({ ask, short = false }: { ask: Ask; short?: boolean }) {
  if (ask.judgedRisk === 'low') return null
  const colour = ask.judgedRisk === 'critical' ? 'text-stop' : 'text-wait'
  return (
    <span className={`block break-words ${colour} ${short ? 'line-clamp-2 text-xs' : 'text-sm'}`}>
      {clip(safeText(riskWords(ask)), short ? 200 : 1000)}
    </span>
  )
}
