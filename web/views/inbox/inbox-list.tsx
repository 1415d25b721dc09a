import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { barAttribute } from '../../ui/use-clear-of-bars.ts'
import { PageHead } from '../../ui/page.tsx'
import { InboxRow } from './inbox-row.tsx'
import { inGroups, type ListedItem } from './rows.ts'
import { canSelect, type BulkSelection } from './use-bulk-selection.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useToast } from '../../ui/toasts.tsx'
import { errorText } from '../../ui/states.tsx'
import { MessageDialog } from '../asks/actions/message-dialog.tsx'
import { isUnknown } from '../asks/lost-reply.ts'
import { useAnswer, type AskAnswer } from '../asks/use-answer.ts'

type List = {
  rows: readonly ListedItem[]
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
  const shown = (group: readonly ListedItem[]) =>
    group.map((row) => <InboxRow key={row.item.key} row={row} here={row.item.key === here} chosen={chosen} />)
  return (
    <>
      <PageHead title="Inbox" about={<span role="status">{total === null ? '…' : waitingWords(waiting)}</span>}>
        {!chosen.selecting && <HistoryLink />}
        {chosen.selecting && (
          <Button tone="quiet" aria-label="Select all" onClick={chosen.all}>
            All
          </Button>
        )}
        {(several || chosen.selecting) && (
          <Button tone="quiet" aria-pressed={chosen.selecting} onClick={() => chosen.setSelecting(!chosen.selecting)}>
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

export const HistoryLink = () => (
  <ButtonLink tone="quiet" icon="clock" to={paths.history} className="max-sm:w-11 max-sm:px-0">
    <span className="max-sm:sr-only">History</span>
  </ButtonLink>
)

const waitingWords = (count: number): string =>
  count === 0 ? 'Nothing is waiting for you' : count === 1 ? '1 waiting for you' : `${count} waiting for you`

/** Keeps the selected item in view. `rows`: it may be selected before it is listed. */
export function useInView(key: string | null, rows: readonly ListedItem[]) {
  const router = useRouter()
  const list = useRef<HTMLDivElement>(null)
  const isListed = rows.some(({ item }) => item.key === key)
  const show = useEffectEvent(() => {
    if (key !== null)
      list.current?.querySelector(`[data-key="${CSS.escape(key)}"]`)?.scrollIntoView({ block: 'nearest' })
  })
  useLayoutEffect(() => show(), [key, isListed])
  // After each navigation, the router first puts the scroll positions of the earlier address back.
  useEffect(() => router.subscribe('onRendered', () => show()), [router])
  return list
}

/** Approves or rejects the selected asks one by one: a refusal does not stop the others. */
function BulkBar({ chosen, className }: { chosen: BulkSelection; className: string }) {
  const answer = useAnswer()
  const queries = useQueryClient()
  const say = useToast()
  const [rejecting, setRejecting] = useState(false)
  const { items } = chosen
  const send = async (given: AskAnswer, verb: string) => {
    const asks = items.map(({ ask }) => ask)
    chosen.setSelecting(false)
    const done = await Promise.allSettled(asks.map((ask) => answer.mutateAsync({ ask, answer: given, quiet: true })))
    const refused = done.filter((one) => one.status === 'rejected')
    const good = done.length - refused.length
    const [first] = refused
    void queries.invalidateQueries({ queryKey: ['inbox'] })
    // Unknown outcomes are reported one by one, once known.
    const unknown = refused.filter(({ reason }) => isUnknown(reason)).length
    const no = refused.length - unknown
    const title = [`${good} ${verb}`, ...(no > 0 ? [`${no} not`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])]
    say(
      first
        ? { title: title.join(', '), body: errorText(first.reason).message, bad: true }
        : { key: 'answered', title: title.join(', ') },
    )
  }
  const count = items.length
  return (
    <div role="group" aria-label="Selected" {...barAttribute} className={`flex items-center gap-2 ${className}`}>
      <span role="status" className="min-w-0 flex-1 truncate text-sm text-soft">
        {count === 0 ? 'Select asks to answer' : `${count} selected`}
      </span>
      <Button tone="stop-plain" disabled={count === 0} onClick={() => setRejecting(true)}>
        Reject {count > 0 && count}
      </Button>
      <Button
        tone="main"
        disabled={count === 0}
        onClick={() => void send({ outcome: 'approve', always: false, reason: null }, 'approved')}
      >
        Approve {count > 0 && count}
      </Button>
      {rejecting && (
        <MessageDialog
          title={`Reject ${count}`}
          label="Reason for all (optional)"
          action={`Reject ${count}`}
          tone="stop"
          close={() => setRejecting(false)}
          send={(words) => void send({ outcome: 'reject', reason: words === '' ? null : words }, 'rejected')}
        />
      )}
    </div>
  )
}
