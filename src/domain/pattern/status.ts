/** Alone in its file: the command line knows these words without Zod. */
export const patternRuleStatuses = ['proposed', 'confirmed', 'dismissed', 'revoked'] as const
