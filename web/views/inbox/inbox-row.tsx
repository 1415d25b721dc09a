import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { InboxItem, Changes } from '../../../src/client/contract/inbox.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { clip, listTitle, safeText } from '../../ui/safe-text.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { useClient } from '../../api/backend.tsx'
import { askQuery } from '../../api/queries.ts'
import { whySeparate } from '../asks/bulk-answer.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import { RiskBadge, RiskNote } from '../asks/risk.tsx'
import { gistOf, kindIcon, kindLabels } from '../asks/ask-labels.ts'
import { outcomeLine, outcomeSignal } from '../asks/outcome-text.ts'
import { useActorName } from '../asks/use-names.ts'
import { alertTitle, nudgeText, alertOutcome } from './alert-text.ts'
import { Expiry, AskSource } from './ask-facts.tsx'
import { addressOf } from './item-address.ts'
import type { ListedItem } from './rows.ts'
import type { BulkSelection } from './use-bulk-selection.ts'
import { alertQuery } from './alert-query.ts'

const edges: Readonly<Record<InboxItem['urgency'], string>> = {
  critical: 'before:bg-stop',
  high: 'before:bg-wait',
  normal: 'before:bg-transparent',
}

/** One item of the list. */
export function InboxRow({ row, here, chosen }: { row: ListedItem; here: boolean; chosen: BulkSelection }) {
  const { item, gone } = row
  const now = useNow()
  const title = item.kind === 'ask' ? listTitle(item.ask.title) : alertTitle(item.alert, now)
  return (
    <li
      data-key={item.key}
      className={`relative flex border-b border-line before:absolute before:inset-y-0 before:left-0 before:w-1 ${edges[item.urgency]} ${here ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      {chosen.selecting && <Choose row={row} title={title} chosen={chosen} />}
      <Link
        {...addressOf(item.key)}
        aria-current={here ? 'true' : undefined}
        className={`flex min-w-0 flex-1 flex-col gap-1 py-3 pr-4 focus-visible:-outline-offset-2 md:pr-5 ${chosen.selecting ? 'pl-1' : 'pl-4 md:pl-6'} ${gone ? 'opacity-80' : ''}`}
      >
        <span className="flex items-start gap-3">
          <span className="line-clamp-2 min-w-0 flex-1 text-[0.94rem] leading-snug font-semibold break-words">
            {clip(title, 200)}
          </span>
          <Time at={item.since} className="shrink-0 pt-0.5 text-xs text-soft" />
        </span>
        <span className="truncate text-sm text-soft">
          {item.kind === 'alert' && <span className="font-medium text-text">{listTitle(item.session.title)} · </span>}
          <AskSource session={item.session} />
        </span>
        {gone ? <RowOutcome item={item} /> : <Summary item={item} choosing={chosen.selecting} />}
      </Link>
    </li>
  )
}

function Summary({ item, choosing }: { item: InboxItem; choosing: boolean }) {
  if (item.kind === 'alert')
    return (
      <span className="flex items-center gap-1.5 text-xs text-soft">
        {item.alert.status === 'escalated' && <Badge signal="stop">Needs a person</Badge>}
        <Icon name="alert" className="size-4 text-wait" />
        {nudgeText(item.alert)}
      </span>
    )
  const { text, exact } = gistOf(item.ask)
  const alone = choosing ? whySeparate(item.ask, item) : null
  return (
    <>
      {item.changes ? (
        <ChangeSize changes={item.changes} />
      ) : (
        text !== '' &&
        text !== safeText(item.ask.title) && (
          <span className={`line-clamp-2 [overflow-wrap:anywhere] ${exact ? 'font-mono text-[0.8rem]' : 'text-sm'}`}>
            {text}
          </span>
        )
      )}
      <Marks item={item} />
      <RiskNote ask={item.ask} short />
      {alone !== null && <span className="text-xs text-soft">{alone}</span>}
    </>
  )
}

const soonMs = 5 * 60_000

/** Risk, votes and time left. */
function Marks({ item: { ask } }: { item: AskItem }) {
  const now = useNow()
  const soon = ask.expiresAt !== null && Date.parse(ask.expiresAt) - now < soonMs
  return (
    <span className="flex flex-wrap items-center gap-1.5 text-xs text-soft">
      {ask.riskLevel !== 'low' && <RiskBadge ask={ask} />}
      <Icon name={kindIcon(ask.kind)} className="size-4" />
      <span>{kindLabels(ask)}</span>
      {ask.needed > 1 && (
        <span>
          · {ask.votes.length} of {ask.needed} approved
        </span>
      )}
      {ask.expiresAt !== null && (
        <span className={soon ? 'font-semibold text-wait' : ''}>
          · <Expiry kind={ask.kind} at={ask.expiresAt} />
        </span>
      )}
    </span>
  )
}

function Choose({ row: { item }, title, chosen }: { row: ListedItem; title: string; chosen: BulkSelection }) {
  const alone = item.kind === 'alert' ? 'Alerts can’t be answered in bulk' : whySeparate(item.ask, item)
  return (
    <label className="flex w-12 shrink-0 items-start justify-center pt-3" title={alone ?? undefined}>
      <input
        type="checkbox"
        className="mt-0.5 size-5 accent-accent"
        aria-label={`Select: ${clip(title, 80)}${alone === null ? '' : ` (${alone})`}`}
        disabled={alone !== null}
        checked={chosen.has(item.key)}
        onChange={() => chosen.toggle(item.key)}
      />
    </label>
  )
}

/** Size of a change, and its files. */
function ChangeSize({ changes }: { changes: Changes }) {
  const [first, ...more] = changes.files
  return (
    <span className="flex min-w-0 items-baseline gap-2 font-mono text-[0.8rem]">
      <span className="shrink-0 font-semibold">
        <span className="text-add">+{changes.added}</span> <span className="text-del">−{changes.removed}</span>
      </span>
      {/* The end of a path is the most useful part. */}
      {first && (
        <span
          className="min-w-0 truncate text-soft [direction:rtl]"
          title={changes.files.map(({ path }) => safeText(path)).join('\n')}
        >
          <bdi>{safeText(first.path)}</bdi>
        </span>
      )}
      {more.length > 0 && <span className="shrink-0 text-soft">and {more.length} more</span>}
    </span>
  )
}

/** Who answered first, or why it is no longer open. */
const RowOutcome = ({ item }: { item: InboxItem }) =>
  item.kind === 'ask' ? <OfAsk id={item.ask.id} /> : <OfAlert id={item.alert.id} />

function OfAsk({ id }: { id: string }) {
  const { data: ask } = useQuery(askQuery(useClient(), id))
  const who = useActorName()
  const isOver = ask !== undefined && ask.status !== 'open'
  return (
    <span role="status" className="flex min-h-6">
      {isOver && <Badge signal={outcomeSignal(ask)}>{clip(safeText(outcomeLine(ask, who(ask.answeredBy))), 60)}</Badge>}
    </span>
  )
}

function OfAlert({ id }: { id: string }) {
  const { data: alert } = useQuery(alertQuery(useClient(), id))
  const who = useActorName()
  return (
    <span role="status" className="flex min-h-6">
      {alert && <Badge signal="clear">{alertOutcome(alert, who(alert.closedBy))}</Badge>}
    </span>
  )
}
