import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import type { Alert } from '../../../src/domain/alert/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { isGone } from '../../api/transport.ts'
import { Badge } from '../../ui/badge.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useActorName } from '../asks/use-names.ts'
import { AlertActions } from './alert-actions.tsx'
import { alertQuery, diagnosisQuery } from './alert-query.ts'
import { alertOutcome, alertTitle, nudgeText } from './alert-text.ts'
import { ItemHead } from './item-head.tsx'
import { ItemNotFound, useLastKnown, useTitle, stickyBar } from './pane-parts.tsx'
import { usePastSession } from './use-ask.ts'

type AlertItem = Extract<InboxItem, { kind: 'alert' }>
type Pane = { id: string; item: AlertItem | null; resting: boolean; after: ReactNode }

/** A session that has gone quiet, the likely reason, and what to do. */
export function AlertPane({ id, item, resting, after }: Pane) {
  const { data, error, refetch } = useQuery({
    ...alertQuery(useClient(), id),
    ...(item && { placeholderData: item.alert }),
  })
  if (data) return <Shown alert={data} item={item} resting={resting} after={after} />
  if (!error) return <Loading what="Loading the alert…" />
  return isGone(error) ? <ItemNotFound what="alert" /> : <Failed error={error} retry={() => void refetch()} />
}

const isOpen = ({ status }: Alert): boolean => status === 'pending' || status === 'nudged' || status === 'escalated'

function Shown({ alert, item: listed, resting, after }: Omit<Pane, 'id'> & { alert: Alert }) {
  const item = useLastKnown(listed)
  const who = useActorName()
  const past = usePastSession(item ? null : alert.sessionId)
  const session = item?.session ?? past
  const { data: diagnosis } = useQuery({ ...diagnosisQuery(useClient(), alert.sessionId), enabled: isOpen(alert) })
  useTitle(alertTitle(alert))
  return (
    <article aria-label="Alert" className="flex flex-1 flex-col gap-5 px-4 pt-4 md:px-6 md:pt-6">
      <ItemHead
        icon="alert"
        iconLook="text-wait"
        kind="Alert"
        badge={alert.status === 'escalated' && <Badge signal="stop">Needs a person</Badge>}
        title={alertTitle(alert)}
        session={session}
      />
      {!isOpen(alert) && (
        <p role="status" className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-panel p-3 pl-4">
          <Badge signal="clear">{alertOutcome(alert, who(alert.closedBy))}</Badge>
          {alert.closedAt !== null && <Time at={alert.closedAt} className="text-sm text-soft" />}
        </p>
      )}
      {diagnosis && (
        <div className="rounded-xl border border-line bg-panel p-4">
          <p className="font-medium break-words">{safeText(diagnosis.detail)}</p>
          {diagnosis.hint !== null && <p className="mt-1 text-soft">{safeText(diagnosis.hint)}</p>}
        </div>
      )}
      <Facts alert={alert} />
      {item?.mine === false ? (
        <p className="rounded-lg bg-sunken px-3 py-2.5 text-soft">
          {safeText(item.session.ownerName)} manages this; you can view it.
        </p>
      ) : (
        isOpen(alert) && (
          <AlertActions alert={alert} mayNudge={item?.mayNudge !== false} resting={resting} bar={stickyBar} />
        )
      )}
      {!isOpen(alert) && after && <div className={stickyBar}>{after}</div>}
    </article>
  )
}

const Facts = ({ alert }: { alert: Alert }) => (
  <dl className="grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5 text-sm">
    <Fact name="Last activity">
      <Time at={alert.lastActivityAt} />
    </Fact>
    <Fact name="Last tool">
      {alert.lastTool === null ? 'none' : <code className="font-mono break-all">{safeText(alert.lastTool)}</code>}
    </Fact>
    <Fact name="Nudges">
      {nudgeText(alert)}
      {alert.nextAt !== null && (
        <>
          {' '}
          (<Time at={alert.nextAt} />)
        </>
      )}
    </Fact>
    {alert.nudgeMessage !== null && <Fact name="Said">“{safeText(alert.nudgeMessage)}”</Fact>}
    <Fact name="Raised">
      <Time at={alert.createdAt} />
    </Fact>
  </dl>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)
