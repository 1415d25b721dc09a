import { budgetPeriods } from '../../domain/budget/about.ts'
import { command, family, oneOf, on, text } from '../command.ts'

export const setBudgetFlags = {
  repo: text('REPO', 'For the sessions of this repo'),
  user: text('USER', 'For the sessions that this person owns'),
  all: on('For all sessions of this server'),
  period: oneOf('PERIOD', 'The period that it is for (day)', budgetPeriods),
  usd: text('USD', 'What its sessions may cost together'),
  tokens: text('N', 'How many tokens its sessions may use together'),
}
export const removeBudgetFlags = { yes: on('Skip the confirmation') }

const load = () => import('../commands/budgets.ts')

export const budgetCommands = [
  family({
    name: 'budgets',
    summary: 'What sessions may cost by day or month: of a repo, a person, or all of them',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'When a budget is used up, each session that it is for pauses, and admins and owners are asked whether to continue.',
    examples: ['signalbox budgets', 'signalbox budgets set --repo shop --usd 20'],
    children: [
      command({
        name: 'list',
        summary: 'Budgets that you can see, and what is spent of them (the default)',
        examples: ['signalbox budgets', 'signalbox budgets --json'],
        load: async () => (await load()).listBudgets,
      }),
      command({
        name: 'set',
        summary: 'Set a budget; one for the same sessions and period is replaced',
        flags: setBudgetFlags,
        examples: [
          'signalbox budgets set --all --usd 50',
          'signalbox budgets set --user ann --period month --usd 100 --tokens 5000000',
        ],
        load: async () => (await load()).setBudget,
      }),
      command({
        name: 'remove',
        summary: 'Remove a budget; sessions that it paused continue',
        args: [{ name: 'ID' }],
        flags: removeBudgetFlags,
        examples: ['signalbox budgets remove 0199c2d4', 'signalbox budgets remove 0199c2d4 --yes'],
        load: async () => (await load()).removeBudget,
      }),
    ],
  }),
]
