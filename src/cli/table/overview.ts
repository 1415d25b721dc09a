import { overviewBy } from '../../domain/session/overview.ts'
import { command, on, oneOf, text } from '../command.ts'

export const overviewFlags = {
  by: oneOf('WHAT', 'Sum up by (day)', overviewBy),
  from: text('DATE', 'First day, UTC (29 days before the last)'),
  to: text('DATE', 'Last day, UTC (today)'),
  csv: on('Print CSV'),
}

export const overviewCommands = [
  command({
    name: 'overview',
    summary: 'What ran, what it cost, and how long asks waited for whom',
    group: 'Watch and steer the work',
    flags: overviewFlags,
    examples: ['signalbox overview --by agent', 'signalbox overview --from 2026-01-01 --csv > overview.csv'],
    load: async () => (await import('../commands/overview.ts')).overview,
  }),
]
