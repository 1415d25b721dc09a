import type { Ask } from './schema.ts'

/** A wrong answer would do harm: it must be viewed before it is allowed, and confirmed a second time. */
export const isGrave = ({ riskLevel, subject }: Pick<Ask, 'riskLevel' | 'subject'>): boolean =>
  riskLevel === 'critical' || (subject.kind === 'terminal_prompt' && subject.dangerous)

/** The risk judged by Signalbox and the risk the agent claims; empty if there is none. */
export function riskWords(ask: Pick<Ask, 'claimedRisk' | 'judgedRisk' | 'riskReasons' | 'subject'>): string {
  const { claimedRisk, judgedRisk, riskReasons, subject } = ask
  if (judgedRisk === 'low') return claimedRisk === 'low' ? '' : `The agent says ${claimedRisk}.`
  const judged = `Judged ${judgedRisk}: ${riskReasons.join('; ')}.`
  // A program in a terminal claims no risk.
  return subject.kind === 'terminal_prompt' ? judged : `${judged} The agent says ${claimedRisk}.`
}
