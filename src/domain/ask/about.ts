import type { Ask } from './schema.ts'

/** Would harm if it were wrong: it must be seen before it is allowed, and is confirmed a second time. */
export const isGrave = ({ riskLevel, subject }: Pick<Ask, 'riskLevel' | 'subject'>): boolean =>
  riskLevel === 'critical' || (subject.kind === 'terminal_prompt' && subject.dangerous)

/** What Signalbox makes of the risk, and what the agent says of it; empty where both find nothing. */
export function riskWords(ask: Pick<Ask, 'claimedRisk' | 'judgedRisk' | 'riskReasons' | 'subject'>): string {
  const { claimedRisk, judgedRisk, riskReasons, subject } = ask
  if (judgedRisk === 'low') return claimedRisk === 'low' ? '' : `The agent says ${claimedRisk}.`
  const judged = `Judged ${judgedRisk}: ${riskReasons.join('; ')}.`
  // A program in a terminal says nothing of risk.
  return subject.kind === 'terminal_prompt' ? judged : `${judged} The agent says ${claimedRisk}.`
}
