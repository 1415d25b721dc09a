import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { Budget, BudgetChange, BudgetCommand } from './schema.ts'

export type BudgetFacts = {
  readonly budget: Budget | undefined
  /** The one for the same sessions and period. */
  readonly same: Budget | undefined
  /** The repo or person exists. */
  readonly targetExists: boolean
}

export function decideBudget(
  command: BudgetCommand,
  { budget, same, targetExists }: BudgetFacts,
): Result<BudgetChange[]> {
  if (command.type === 'budget.remove')
    return budget ? ok([{ type: 'budget.removed', data: { id: budget.id } }]) : notFound('budget', command.id)
  const { type: _type, ...wanted } = command
  const misfit = misfitOf(wanted)
  if (misfit) return misfit
  if (!targetExists)
    return wanted.repoId === null ? notFound('user', wanted.userId ?? '') : notFound('repo', wanted.repoId)
  return ok([{ type: 'budget.set', data: { ...wanted, id: same?.id ?? command.id } }])
}

function misfitOf({ scope, repoId, userId, costUsd, tokens }: Omit<Budget, 'id'>): Failed | null {
  if ((scope === 'repo') !== (repoId !== null) || (scope === 'person') !== (userId !== null))
    return fail({
      kind: 'invalid',
      code: 'budget_target',
      message: 'A budget is for all sessions, for one repo, or for one person.',
      hint: 'Give repoId with the scope repo, userId with the scope person, and neither with the scope server.',
    })
  if (costUsd === null && tokens === null)
    return fail({ kind: 'invalid', code: 'no_limit', message: 'A budget needs a limit: costUsd, tokens or both.' })
  return null
}
