export const budgetScopes = ['server', 'repo', 'person'] as const
export type BudgetScope = (typeof budgetScopes)[number]
export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]
