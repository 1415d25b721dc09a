export type PlanStep = { label: string; status: 'done' | 'in_progress' | 'pending' }

/** Steps of a plan or of reported progress; anything else is left out. */
export const stepsOf = (entries: readonly unknown[]): PlanStep[] =>
  entries.flatMap((entry) => {
    if (typeof entry === 'string') return [{ label: entry, status: 'pending' as const }]
    const { content, label, title, status } = (entry ?? {}) as Record<string, unknown>
    const words = [content, label, title].find((value) => typeof value === 'string' && value !== '')
    return typeof words === 'string' ? [{ label: words, status: statusOf(status) }] : []
  })

function statusOf(status: unknown): PlanStep['status'] {
  if (status === 'completed' || status === 'done') return 'done'
  return status === 'in_progress' ? 'in_progress' : 'pending'
}
