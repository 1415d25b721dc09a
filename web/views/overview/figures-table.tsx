import type { Overview } from '../../../src/client/contract/overview.ts'
import { duration } from '../../ui/relative-time.ts'
import { labelOf, type Figures } from './figures.ts'

const columns: readonly { title: string; of: (row: Figures) => string }[] = [
  { title: 'Sessions', of: ({ sessions }) => String(sessions) },
  { title: 'Cost', of: ({ costUsd }) => `$${costUsd.toFixed(2)}` },
  { title: 'Asks', of: ({ asks }) => String(asks) },
  { title: 'Answered', of: ({ answered }) => String(answered) },
  { title: 'Automatic', of: ({ automatic }) => String(automatic) },
  { title: 'Waited', of: ({ waitedSeconds }) => duration(waitedSeconds) },
]
const cell = 'px-3 py-1.5 text-right tabular-nums whitespace-nowrap'

/** Every figure behind the charts. */
export const FiguresTable = ({ overview, heading }: { overview: Overview; heading: string }) => (
  <div
    role="region"
    aria-label="Figures"
    tabIndex={0}
    className="overflow-x-auto rounded-xl border border-line bg-panel shadow-raised"
  >
    <table className="w-full text-sm">
      <thead className="text-soft">
        <tr>
          <th scope="col" className="px-3 py-2 text-left font-medium">
            {heading}
          </th>
          {columns.map(({ title }) => (
            <th key={title} scope="col" className={`${cell} font-medium`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-t border-line">
        {overview.rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" className="max-w-60 truncate px-3 py-1.5 text-left font-normal">
              {labelOf(row, overview.by)}
            </th>
            {columns.map(({ title, of }) => (
              <td key={title} className={cell}>
                {of(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot className="border-t border-line-strong font-medium">
        <tr>
          <th scope="row" className="px-3 py-1.5 text-left">
            Together
          </th>
          {columns.map(({ title, of }) => (
            <td key={title} className={cell}>
              {of(overview.totals)}
            </td>
          ))}
        </tr>
      </tfoot>
    </table>
  </div>
)
