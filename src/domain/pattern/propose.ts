import { derivedId } from '../../lib/derived-id.ts'
import type { PatternRuleId } from './id.ts'
import type { KeptPattern, PatternChange, PatternRuleStatus } from './schema.ts'

/** Equal answers in a row, all witnessed and accepted, before one is proposed. */
export const leastInARow = 5
const restMs = 30 * 86_400_000

export const deviation = 'system:patterns'

export type RuleState = {
  id: PatternRuleId
  response: string
  status: PatternRuleStatus
  decidedBy: string | null
  decidedAt: string | null
}

/**
 * What an answer means for the rules of its pattern: a repeated answer is proposed, one that changed is withdrawn.
 * Nothing is typed before a person confirms it.
 */
export function afterAnswer(
  pattern: KeptPattern,
  rules: readonly RuleState[],
  answered: { response: string; success: boolean | null; cause: string },
  now: number,
): PatternChange[] {
  const { id: patternId, userId, streak } = pattern
  const open = rules.find(({ status }) => status === 'proposed' || status === 'confirmed')
  const deviates = open && (open.response !== answered.response || answered.success === false)
  if (open && deviates) {
    const data = { id: open.id, patternId, userId }
    return open.status === 'proposed'
      ? [{ type: 'pattern.withdrawn', data }]
      : [{ type: 'pattern.revoked', data: { ...data, by: deviation } }]
  }
  // Commands at a shell are different each time.
  if (!streak || streak.count < leastInARow || ['command', 'password'].includes(pattern.promptType)) return []
  if (open?.status === 'confirmed' || streak.response !== answered.response) return []
  if (!open && rules.some((rule) => turnedDown(rule, streak.response, now))) return []
  const id = open?.id ?? derivedId<PatternRuleId>('pattern-rule', patternId, answered.cause)
  const data = { id, patternId, userId, evidence: streak.count }
  return [{ type: 'pattern.proposed', data, body: { response: streak.response } }]
}

/** By a person, and not long ago. */
const turnedDown = ({ status, response, decidedBy, decidedAt }: RuleState, wanted: string, now: number): boolean =>
  (status === 'dismissed' || status === 'revoked') &&
  response === wanted &&
  decidedBy !== deviation &&
  decidedAt !== null &&
  now - Date.parse(decidedAt) < restMs
