import { Link } from '@tanstack/react-router'
import { isGrave } from '../../../src/domain/ask/about.ts'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { whySeparate } from '../asks/bulk-answer.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import { RiskNote } from '../asks/risk-note.tsx'
import { gistOf, kindIcon, kindLabels } from '../asks/ask-labels.ts'
import { alertTitle, nudgeText } from './alert-text.ts'
import { ChangeSize } from './change-size.tsx'
import { Expiry } from './expiry.tsx'
import { addressOf } from './item-address.ts'
import { RowOutcome } from './row-outcome.tsx'
import type { Row } from './rows.ts'
import type { BulkSelection } from './use-bulk-selection.ts'
import { AskSource } from './ask-source.tsx'

const edges: Readonly<Record<InboxItem['urgency'], string>> = {
  critical: 'before:bg-stop',
  high: 'before:bg-wait',
  normal: 'before:bg-transparent',
}

/** One item of the list. */
export function InboxRow({ row, here, chosen }: { row: Row; here: boolean; chosen: BulkSelection }) {
  const { item, gone } = row
  const title = item.kind === 'ask' ? safeText(item.ask.title) : alertTitle(item.alert)
  return (
    <li
      data-key={item.key}
      className={`relative flex border-b border-line before:absolute before:inset-y-0 before:left-0 before:w-1 ${edges[item.urgency]} ${here ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      {chosen.choosing && <Choose row={row} title={title} chosen={chosen} />}
      <Link
        {...addressOf(item.key)}
        aria-current={here ? 'true' : undefined}
        className={`flex min-w-0 flex-1 flex-col gap-1 py-3 pr-4 focus-visible:-outline-offset-2 md:pr-5 ${chosen.choosing ? 'pl-1' : 'pl-4 md:pl-6'} ${gone ? 'opacity-80' : ''}`}
      >
        <span className="flex items-start gap-3">
          <span className="line-clamp-2 min-w-0 flex-1 text-[0.94rem] leading-snug font-semibold break-words">
            {clip(title, 200)}
          </span>
          <Time at={item.since} className="shrink-0 pt-0.5 text-xs text-soft" />
        </span>
        <span className="truncate text-sm text-soft">
          <AskSource session={item.session} />
        </span>
        {gone ? <RowOutcome item={item} /> : <Summary item={item} choosing={chosen.choosing} />}
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
      {item.ask.judgedRisk !== 'low' && <RiskNote ask={item.ask} short />}
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
      {isGrave(ask) ? (
        <Badge signal="stop">{ask.riskLevel === 'critical' ? 'Critical' : 'Dangerous'}</Badge>
      ) : (
        ask.riskLevel === 'high' && <Badge signal="wait">High risk</Badge>
      )}
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

function Choose({ row: { item }, title, chosen }: { row: Row; title: string; chosen: BulkSelection }) {
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
