import * as z from 'zod'
import { budgetFields, BudgetId, BudgetState } from '../../domain/budget/schema.ts'
import { endpoint } from '../endpoint.ts'

export const budgetEndpoints = {
  listBudgets: endpoint({
    method: 'GET',
    path: '/api/budgets',
    tag: 'budgets',
    summary: 'Budgets that you can see, and what is spent of them in this day or month',
    status: 200,
    response: () =>
      z.object({
        timeZone: z.string().meta({ description: 'Whose days and months count.' }),
        budgets: z.array(BudgetState),
      }),
  }),
  setBudget: endpoint({
    method: 'PUT',
    path: '/api/budgets',
    tag: 'budgets',
    summary: 'Set the budget of all sessions, a repo or a person for a day or a month (admins only)',
    status: 200,
    body: () => z.strictObject(budgetFields),
    response: BudgetState,
  }),
  removeBudget: endpoint({
    method: 'DELETE',
    path: '/api/budgets/{id}',
    tag: 'budgets',
    summary: 'Remove a budget (admins only)',
    status: 200,
    params: () => z.object({ id: BudgetId }),
    response: () => z.object({ id: BudgetId, removed: z.literal(true) }),
  }),
}
