import type { RiskLevel } from '../ask/schema.ts'

/** One reason why an ask is risky, as text that follows "Judged high:". */
export type Finding = { readonly level: RiskLevel; readonly reason: string }

export type RiskVerdict = { readonly level: RiskLevel; readonly reasons: readonly string[] }

export const finding = (level: RiskLevel, reason: string): Finding => ({ level, reason })

const order: readonly RiskLevel[] = ['low', 'high', 'critical']

export const higherRisk = (a: RiskLevel, b: RiskLevel): RiskLevel => (order.indexOf(a) >= order.indexOf(b) ? a : b)

const mostReasons = 8

/** The worst finding gives the level. Reasons are listed once, worst first. */
export function sumUp(findings: readonly Finding[]): RiskVerdict {
  const sorted = findings.toSorted((a, b) => order.indexOf(b.level) - order.indexOf(a.level))
  const reasons = [...new Set(sorted.filter(({ level }) => level !== 'low').map(({ reason }) => reason))]
  return { level: sorted[0]?.level ?? 'low', reasons: reasons.slice(0, mostReasons) }
}
