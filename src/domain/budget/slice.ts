import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { loadUser } from '../user/store.ts'
import { getRepo } from '../workspace/store.ts'
import { decideBudget } from './decide.ts'
import { budgetEvents, type BudgetChange, type BudgetCommand } from './schema.ts'
import { listBudgets, loadBudget, projectBudget } from './store.ts'

/** Budgets of repos, people, and of all sessions together. */
export const budgetSlice: Slice<BudgetCommand, BudgetChange> = {
  events: budgetEvents,
  streams: () => ['budgets'],
  async load(db, command, context) {
    return {
      grounds: groundsOf(context),
      async decide() {
        const budget = await loadBudget(db, command.id)
        if (command.type === 'budget.remove')
          return decideBudget(command, { budget, same: undefined, targetExists: true })
        const { scope, repoId, userId, period } = command
        const same = (await listBudgets(db)).find(
          (one) => one.scope === scope && one.repoId === repoId && one.userId === userId && one.period === period,
        )
        const repo = repoId === null ? null : await getRepo(db, repoId)
        const user = userId === null ? null : await loadUser(db, userId)
        const repoIsThere = repo === null || repo?.removedAt === null
        const targetExists = repoIsThere && user !== undefined && !user?.removed
        return decideBudget(command, { budget, same, targetExists })
      },
    }
  },
  project: projectBudget,
  audience: ({ data }) => ({ stream: data.id, visibility: 'admin' }),
  subject: (command, changes) => changes[0]?.data.id ?? command.id,
}
