import { useQuery } from '@tanstack/react-query'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { useClient } from '../../api/backend.tsx'
import { askQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { outcomeLine, outcomeSignal } from '../asks/outcome-text.ts'
import { useActorName } from '../asks/use-names.ts'
import { alertOutcome } from './alert-text.ts'
import { alertQuery } from './alert-query.ts'

/** Who answered first, or why it is no longer open. */
export const RowOutcome = ({ item }: { item: InboxItem }) =>
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
