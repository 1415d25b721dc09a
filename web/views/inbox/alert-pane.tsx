import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import type { Alert } from '../../../src/domain/alert/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useWho } from '../asks/use-names.ts'
import { AlertActions } from './alert-actions.tsx'
import { alertQuery, diagnosisQuery } from './alert-query.ts'
import { alertOutcome, alertTitle, nudgeWords } from './alert-words.ts'
import { isGone, stickyBar, useSeen, useTitle } from './ask-pane.tsx'
import { usePastSession } from './use-ask.ts'
import { WhoAsks } from './who-asks.tsx'

type AlertItem = Extract<InboxItem, { kind: 'alert' }>
type Pane = { id: string; item: AlertItem | null; resting: boolean; after: ReactNode }

/** A session nothing is heard of, why that may be, and what can be done. */
export function AlertPane({ id, item, resting, after }: Pane) {
  const { data, error, refetch } = useQuery({
    ...alertQuery(useClient(), id),
    ...(item && { placeholderData: item.alert }),
  })
  if (data) return <Shown alert={data} item={item} resting={resting} after={after} />
  if (!error) return <Loading what="Loading the alert …" />
  return isGone(error) ? <GoneAlert /> : <Failed error={error} retry={() => void refetch()} />
}

const isOpen = ({ status }: Alert): boolean => status === 'pending' || status === 'nudged' || status === 'escalated'

function Shown({ alert, item: listed, resting, after }: Omit<Pane, 'id'> & { alert: Alert }) {
  const item = useSeen(listed)
  const who = useWho()
  const past = usePastSession(item ? null : alert.sessionId)
  const session = item?.session ?? past
  const { data: diagnosis } = useQuery({ ...diagnosisQuery(useClient(), alert.sessionId), enabled: isOpen(alert) })
  useTitle(alertTitle(alert))
  return (
    <article aria-label="Alert" className="flex flex-1 flex-col gap-5 px-4 pt-4 md:px-6 md:pt-6">
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
          <Icon name="alert" className="size-4.5 text-wait" />
          <span>Alert</span>
          {alert.status === 'escalated' && <Badge signal="stop">Needs a person</Badge>}
        </div>
        <h2 className="text-xl font-semibold">{alertTitle(alert)}</h2>
        <p className="text-sm break-words text-soft">
          <WhoAsks session={session} />
          {session && (
            <>
              {' · '}
              <Link
                to={session.protocolMode === 'terminal' ? paths.terminal : paths.session}
                params={{ id: session.id }}
                className="text-link underline underline-offset-2"
              >
                {clip(safeText(session.title), 80) || 'its session'}
              </Link>
            </>
          )}
        </p>
      </header>
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
          {safeText(item.session.ownerName)} looks after this; you can look.
        </p>
      ) : (
        isOpen(alert) && <AlertActions alert={alert} resting={resting} bar={stickyBar} />
      )}
      {!isOpen(alert) && after && <div className={stickyBar}>{after}</div>}
    </article>
  )
}

const Facts = ({ alert }: { alert: Alert }) => (
  <dl className="grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5 text-sm">
    <Fact name="Last heard">
      <Time at={alert.lastActivityAt} />
    </Fact>
    <Fact name="Last tool">
      {alert.lastTool === null ? 'none' : <code className="font-mono break-all">{safeText(alert.lastTool)}</code>}
    </Fact>
    <Fact name="Nudges">
      {nudgeWords(alert)}
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

const GoneAlert = () => (
  <Empty icon="search" title="There is no such alert">
    <p>It may be mistyped, or it belongs to a session you may not see.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      To the inbox
    </ButtonLink>
  </Empty>
)
