import { api } from '../../../client/contract.ts'
import { newId } from '../../../lib/id.ts'
import { notFound, ok } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

export function mountBudgets(web: Web, deps: RouteDeps): void {
  const { app } = deps

  mount(web, deps, api.listBudgets, (_input, { caller }) => app.read.budgets(caller.standing))
  mount(web, deps, api.setBudget, async ({ body }, { caller, once }) => {
    const done = await app.dispatch({ type: 'budget.set', id: newId(), ...body }, caller.actor, once)
    if (!done.ok) return done
    const found = await app.read.budgets(caller.standing)
    if (!found.ok) return found
    const budget = found.value.budgets.find(({ id }) => id === done.value.subject)
    return budget ? ok(budget) : notFound('budget', done.value.subject)
  })
  mount(web, deps, api.removeBudget, async ({ params: { id } }, { caller, once }) => {
    const done = await app.dispatch({ type: 'budget.remove', id }, caller.actor, once)
    return done.ok ? ok({ id, removed: true as const }) : done
  })
}
