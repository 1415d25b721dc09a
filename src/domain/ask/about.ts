import type { Ask } from './schema.ts'

/** A wrong answer would do harm: it must be viewed before it is allowed, and confirmed a second time. */
export const isGrave = ({ riskLevel, subject }: Pick<Ask, 'riskLevel' | 'subject'>): boolean =>
  riskLevel === 'critical' || (subject.kind === 'terminal_prompt' && subject.dangerous)

type Risk = Pick<Ask, 'claimedRisk' | 'judgedRisk' | 'riskReasons' | 'subject' | 'origin'>

/** The risk judged by Signalbox and the risk the agent claims; empty if there is none. */
export function riskWords(ask: Risk): string {
  const { claimedRisk, judgedRisk, riskReasons } = ask
  if (judgedRisk === 'low') return claimedRisk === 'low' ? '' : `The agent says ${claimedRisk}.`
  const judged = `Judged ${judgedRisk}: ${riskReasons.join('; ')}.`
  return claimsRisk(ask) ? `${judged} The agent says ${claimedRisk}.` : judged
}

/** Whether the asker says how risky it is. Permissions of hosted agents and programs in terminals have no such word. */
export const claimsRisk = ({ origin, claimedRisk }: Pick<Ask, 'origin' | 'claimedRisk'>): boolean =>
  claimedRisk !== 'low' || claimants.includes(origin)

const claimants: readonly Ask['origin'][] = ['ask_approval', 'clearance/request', 'mcp', 'api']
