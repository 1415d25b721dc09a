import type { Overview } from '../../client/contract/overview.ts'
import { overviewCsv } from '../../client/overview-csv.ts'
import type { OverviewBy } from '../../domain/session/overview.ts'
import type { Handler } from '../command.ts'
import type { Column } from '../columns.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { overviewFlags } from '../table/overview.ts'

type Row = Overview['rows'][number]

export const overview: Handler<typeof overviewFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const found = await client.overview({
    query: {
      // The parser accepts only these values.
      ...(flags.by !== undefined && { by: flags.by as OverviewBy }),
      ...(flags.from !== undefined && { from: flags.from }),
      ...(flags.to !== undefined && { to: flags.to }),
    },
  })
  if (flags.csv && !context.json) return context.out.print(overviewCsv(found).trimEnd())
  printResult(context, found, ({ by, from, to, totals, rows }) => {
    const columns: Column<Row>[] = [
      { title: by.toUpperCase(), cell: ({ label }) => label || 'none', shrinks: true },
      { title: 'SESSIONS', cell: ({ sessions }) => String(sessions) },
      { title: 'COST', cell: ({ costUsd }) => `$${costUsd.toFixed(2)}` },
      { title: 'ASKS', cell: ({ asks }) => String(asks) },
      { title: 'ANSWERED', cell: ({ answered }) => String(answered) },
      { title: 'AUTOMATIC', cell: ({ automatic }) => String(automatic) },
      { title: 'WAITED', cell: ({ waitedSeconds }) => spanText(waitedSeconds) },
    ]
    const all = { key: '', label: 'total', ...totals }
    return tableOr(context, rows.length === 0 ? [] : [...rows, all], columns, `Nothing ran from ${from} to ${to}.`)
  })
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
