import { useLayoutEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { InboxRow } from './inbox-row.tsx'
import { inGroups, type Row } from './rows.ts'
import { BulkBar } from './bulk-bar.tsx'
import { canSelect, type BulkSelection } from './use-bulk-selection.ts'

type List = {
  rows: readonly Row[]
  /** Null while unknown. */
  total: number | null
  here: string | null
  chosen: BulkSelection
  barClass: string
}

/** Waiting items: yours first, then those others answer. */
export function InboxList({ rows, total, here, chosen, barClass }: List) {
  const { mine, others } = inGroups(rows)
  const waiting = mine.filter(({ gone }) => !gone).length
  const several = rows.filter(canSelect).length > 1
  const shown = (group: readonly Row[]) =>
    group.map((row) => <InboxRow key={row.item.key} row={row} here={row.item.key === here} chosen={chosen} />)
  return (
    <>
      <PageHead title="Inbox" about={<span role="status">{total === null ? '…' : waitingWords(waiting)}</span>}>
        {chosen.selecting && (
          <Button tone="quiet" aria-label="Select all" onClick={chosen.all}>
            All
          </Button>
        )}
        {(several || chosen.selecting) && (
          <Button tone="quiet" aria-pressed={chosen.selecting} onClick={() => chosen.setChoosing(!chosen.selecting)}>
            {chosen.selecting ? 'Done' : 'Select'}
          </Button>
        )}
      </PageHead>
      {mine.length > 0 && <ul aria-label="Waiting for you">{shown(mine)}</ul>}
      {others.length > 0 && (
        <section aria-label="Others’">
          <h2 className="border-b border-line bg-sunken px-4 py-1.5 text-sm font-semibold text-soft md:px-6">
            Others’ <span className="font-normal">({others.length})</span>
          </h2>
          <ul>{shown(others)}</ul>
        </section>
      )}
      {total !== null && total > 200 && (
        <p className="p-4 text-sm text-soft">Showing the 200 most urgent of {total.toLocaleString()}.</p>
      )}
      {chosen.selecting && <BulkBar chosen={chosen} className={barClass} />}
    </>
  )
}

const waitingWords = (count: number): string =>
  count === 0 ? 'Nothing is waiting for you' : count === 1 ? '1 waiting for you' : `${count} waiting for you`

/** Scrolls the selected item into view when moved by keys. */
export function useInView(key: string | null) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (key !== null)
      list.current?.querySelector(`[data-key="${CSS.escape(key)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [key])
  return list
}
