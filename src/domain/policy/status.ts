/** Alone in its file: the command line knows these words without Zod. */
export const ruleStatuses = ['proposed', 'confirmed', 'dismissed', 'revoked'] as const
