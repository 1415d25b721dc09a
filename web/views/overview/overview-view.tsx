import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Overview } from '../../../src/client/contract/overview.ts'
import { useClient } from '../../api/backend.tsx'
import { download } from '../../api/download.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { BarChart, ColumnChart } from './charts.tsx'
import { Budgets } from './budgets.tsx'
import { FiguresTable } from './figures-table.tsx'
import { daysBetween, labelOf, measures, spanBack } from './figures.ts'

const ranges = [7, 30, 90, 365] as const
const ways = { day: 'Day', agent: 'Agent', repo: 'Repo', person: 'Person' } as const
type Way = keyof typeof ways

/** What ran, what it cost, and what waited for whom. */
export function OverviewView() {
  const client = useClient()
  const [by, setBy] = useState<Way>('day')
  const [days, setDays] = useState<number>(30)
  const span = spanBack(days, Date.now())
  const query = { by, ...span }
  const found = useQuery({
    queryKey: ['sessions', 'overview', by, span.from, span.to],
    queryFn: () => client.overview({ query }),
    placeholderData: keepPreviousData,
  })
  const name = `overview-${by}-${span.from}-${span.to}.csv`
  const save = useAction(() => download(`/api/overview?${new URLSearchParams({ ...query, format: 'csv' })}`, name), {
    failed: 'Not saved',
  })
  return (
    <>
      <PageHead title="Overview" about="Days are in UTC">
        <Button icon="file" onClick={() => save.mutate()} disabled={save.isPending}>
          CSV
        </Button>
      </PageHead>
      <PageBody wide>
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap gap-3 *:w-40">
            <SelectField label="By" value={by} onChange={({ target }) => setBy(target.value as Way)}>
              {Object.entries(ways).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
            <SelectField label="Time" value={days} onChange={({ target }) => setDays(Number(target.value))}>
              {ranges.map((range) => (
                <option key={range} value={range}>
                  Last {range} days
                </option>
              ))}
            </SelectField>
          </div>
          {found.data ? (
            <Figures overview={found.data} />
          ) : found.error ? (
            <Failed error={found.error} retry={() => void found.refetch()} />
          ) : (
            <Loading />
          )}
          <Budgets />
        </div>
      </PageBody>
    </>
  )
}

function Figures({ overview }: { overview: Overview }) {
  const { by, from, to, rows, totals } = overview
  if (rows.length === 0)
    return (
      <Empty icon="chart" title="Nothing ran">
        <p>
          No session that you can see was started between {from} and {to}.
        </p>
      </Empty>
    )
  const shown = by === 'day' ? daysBetween(overview) : rows
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        {measures.map(({ of, title, text }) => (
          <figure key={title} className="min-w-0 rounded-xl border border-line bg-panel p-4 shadow-raised">
            <figcaption className="mb-3 flex items-baseline justify-between gap-3">
              <span className="font-medium">{title}</span>
              <span className="text-xl font-semibold tabular-nums">{text(of(totals))}</span>
            </figcaption>
            {by === 'day' ? (
              <ColumnChart title={title} bars={shown.map((row) => ({ label: row.key, value: of(row) }))} text={text} />
            ) : (
              <BarChart
                title={title}
                bars={rows.map((row) => ({ label: labelOf(row, by), value: of(row) }))}
                text={text}
              />
            )}
          </figure>
        ))}
      </div>
      {by === 'person' && (
        <p className="text-sm text-soft">
          Sessions and cost of those who own them; asks and waiting time of those who answered, or of the owner if no
          one did.
        </p>
      )}
      <FiguresTable overview={overview} heading={ways[by]} />
    </>
  )
}
