import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { AskId } from '../ask/id.ts'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'
import { RepoId } from '../workspace/id.ts'
import { budgetPeriods, budgetScopes } from './about.ts'

export const BudgetId = idOf('BudgetId')
export type BudgetId = z.infer<typeof BudgetId>

const Usd = z.number().positive().max(1_000_000)
const Tokens = z.int().positive().max(Number.MAX_SAFE_INTEGER)

export const budgetFields = {
  scope: z.enum(budgetScopes).meta({ description: 'All sessions, those of a repo, or those that a person owns.' }),
  repoId: RepoId.nullable().default(null).meta({ description: 'For the scope repo.' }),
  userId: UserId.nullable().default(null).meta({ description: 'For the scope person.' }),
  period: z.enum(budgetPeriods).default('day').meta({ description: 'A day or month of the calendar.' }),
  costUsd: Usd.nullable().default(null),
  tokens: Tokens.nullable().default(null),
}

const target = {
  scope: z.enum(budgetScopes),
  repoId: RepoId.nullable(),
  userId: UserId.nullable(),
  period: z.enum(budgetPeriods),
}
const limits = { costUsd: z.number().nullable(), tokens: z.int().nullable() }

/** What all sessions of a kind may cost together in a day or a month before each pauses and asks. */
export const Budget = z.object({ id: BudgetId, ...target, ...limits })
export type Budget = z.infer<typeof Budget>

const Amounts = z.object({ costUsd: z.number(), tokens: z.int() })

export const BudgetState = Budget.extend({
  label: z.string().meta({ description: 'The name of the repo or the person.' }),
  since: z.iso.datetime().meta({ description: 'When the period began.' }),
  spent: Amounts,
  allowed: z.object(limits).meta({ description: 'The limits, with what people allowed in addition in this period.' }),
  usedUp: z.boolean(),
  askId: AskId.nullable().meta({ description: 'The open ask about it.' }),
}).meta({ id: 'Budget' })
export type BudgetState = z.infer<typeof BudgetState>

export const BudgetCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('budget.set'), id: BudgetId, ...budgetFields }),
  z.object({ type: z.literal('budget.remove'), id: BudgetId }),
])
export type BudgetCommand = z.infer<typeof BudgetCommand>

/** Events about budgets. */
export const budgetEvents = {
  'budget.set': () => Budget,
  'budget.removed': () => z.object({ id: BudgetId }),
}
type Data = DataOf<typeof budgetEvents>

export type BudgetChange =
  | { type: 'budget.set'; data: Data['budget.set'] }
  | { type: 'budget.removed'; data: Data['budget.removed'] }
