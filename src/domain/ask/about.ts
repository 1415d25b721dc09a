import type { Ask } from './schema.ts'

/** Would harm if it were wrong: it must be seen before it is allowed, and is confirmed a second time. */
export const isGrave = ({ riskLevel, subject }: Pick<Ask, 'riskLevel' | 'subject'>): boolean =>
  riskLevel === 'critical' || (subject.kind === 'terminal_prompt' && subject.dangerous)
