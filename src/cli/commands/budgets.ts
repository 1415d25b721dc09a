import type { BudgetPeriod } from '../../domain/budget/about.ts'
import type { BudgetState } from '../../domain/budget/schema.ts'
import { cleanLine } from '../clean-text.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { wrongUsage } from '../failure.ts'
import { findPerson, findRepo } from '../find-by-id.ts'
import { findId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import type { removeBudgetFlags, setBudgetFlags } from '../table/budgets.ts'

const whose = ({ scope, label }: BudgetState): string =>
  scope === 'server' ? 'all sessions' : scope === 'repo' ? `repo ${label}` : label

const spentText = ({ spent, allowed }: BudgetState): string =>
  [
    ...(allowed.costUsd === null ? [] : [`$${spent.costUsd.toFixed(2)} of $${allowed.costUsd.toFixed(2)}`]),
    ...(allowed.tokens === null ? [] : [`${spent.tokens} of ${allowed.tokens} tokens`]),
  ].join(', ')

const stateText = ({ usedUp, askId }: BudgetState): string =>
  !usedUp ? '' : askId === null ? 'used up' : `used up: ${programName()} answer ${askId.slice(0, 13)} continue`

export const listBudgets: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const found = await client.listBudgets({})
  printResult(context, found, ({ budgets }) => {
    const short = shortener(budgets.map(({ id }) => id))
    const columns: Column<BudgetState>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'FOR', cell: whose, shrinks: true },
      { title: 'PERIOD', cell: ({ period }) => period },
      { title: 'SPENT', cell: spentText },
      { title: 'STATE', cell: stateText },
    ]
    return tableOr(context, budgets, columns, `No budgets. Set one with: ${programName()} budgets set`)
  })
}

export const setBudget: Handler<typeof setBudgetFlags> = async ({ flags }, context) => {
  const given = [flags.repo !== undefined, flags.user !== undefined, flags.all].filter(Boolean).length
  if (given !== 1) throw wrongUsage('Give one of --repo, --user and --all.')
  if (flags.usd === undefined && flags.tokens === undefined) throw wrongUsage('Give --usd, --tokens or both.')
  const costUsd = flags.usd === undefined ? null : amount('usd', flags.usd.replace(/^\$/, ''))
  const tokens = flags.tokens === undefined ? null : amount('tokens', flags.tokens)
  const { client } = await context.api()
  const body = {
    scope: flags.all ? ('server' as const) : flags.repo === undefined ? ('person' as const) : ('repo' as const),
    repoId: flags.repo === undefined ? null : await findRepo(client, flags.repo),
    userId: flags.user === undefined ? null : await findPerson(client, flags.user),
    // The parser accepts only these values.
    period: (flags.period ?? 'day') as BudgetPeriod,
    costUsd,
    tokens,
  }
  printResult(
    context,
    await client.setBudget({ body }),
    (budget) => `The budget of ${whose(budget)} for a ${budget.period} is set. Spent: ${spentText(budget)}.`,
  )
}

function amount(name: 'usd' | 'tokens', text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value > 0 && (name === 'usd' || Number.isInteger(value)))
    return value
  throw wrongUsage(
    `Invalid --${name} "${cleanLine(text)}".`,
    name === 'usd' ? 'Give US dollars, such as 20 or 0.50.' : 'Give a whole number.',
  )
}

export const removeBudget: Handler<typeof removeBudgetFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const { budgets } = await client.listBudgets({})
  const pages = (async function* () {
    yield budgets
  })()
  const id = await findId<BudgetState>(text, { what: 'budget', list: 'signalbox budgets', pages })
  const found = budgets.find((one) => one.id === id)
  const name = found ? whose(found) : text
  if (!flags.yes)
    await confirmed(context, `Remove the budget of ${name}?`, `${programName()} budgets remove ${text} --yes`)
  printResult(context, await client.removeBudget({ params: { id } }), () => `The budget of ${name} was removed.`)
}
