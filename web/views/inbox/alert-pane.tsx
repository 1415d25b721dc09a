import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import type { Alert } from '../../../src/domain/alert/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { isGone } from '../../api/transport.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, listTitle, safeText } from '../../ui/safe-text.ts'
import { DeniedNote } from '../../ui/denied.tsx'
import { ownersOnly } from '../../ui/denied-text.ts'
import { barAttribute } from '../../ui/use-clear-of-bars.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time, useNow, WithTimes } from '../../ui/time.tsx'
import { useAction } from '../../api/use-action.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { useActorName } from '../asks/use-names.ts'
import { ActionBar, KeyButton, Row } from '../asks/actions/action-bar.tsx'
import { ConfirmDialog } from '../asks/actions/confirm-dialog.tsx'
import { MessageDialog } from '../asks/actions/message-dialog.tsx'
import { alertQuery, diagnosisQuery } from './alert-query.ts'
import { alertOutcome, alertTitle, nudgeText } from './alert-text.ts'
import { ItemHead, ItemNotFound, useLastKnown, useTitle, stickyBar } from './pane-parts.tsx'
import { usePastSession } from './use-ask.ts'

type AlertItem = Extract<InboxItem, { kind: 'alert' }>
type AlertPaneProps = { id: string; item: AlertItem | null; resting: boolean; after: ReactNode }

/** A session that has gone quiet, the likely reason, and what to do. */
export function AlertPane({ id, item, resting, after }: AlertPaneProps) {
  const { data, error, refetch } = useQuery({
    ...alertQuery(useClient(), id),
    ...(item && { placeholderData: item.alert }),
  })
  if (data) return <Shown alert={data} item={item} resting={resting} after={after} />
  if (!error) return <Loading what="Loading the alert…" />
  return isGone(error) ? <ItemNotFound what="alert" /> : <Failed error={error} retry={() => void refetch()} />
}

const isOpen = ({ status }: Alert): boolean => status === 'pending' || status === 'nudged' || status === 'escalated'

function Shown({ alert, item: listed, resting, after }: Omit<AlertPaneProps, 'id'> & { alert: Alert }) {
  const item = useLastKnown(listed)
  const who = useActorName()
  const past = usePastSession(item ? null : alert.sessionId)
  const session = item?.session ?? past
  const { data: diagnosis } = useQuery({ ...diagnosisQuery(useClient(), alert.sessionId), enabled: isOpen(alert) })
  const title = alertTitle(alert, useNow())
  useTitle(session ? `${title}: ${clip(listTitle(session.title), 80)}` : title)
  return (
    <article aria-label="Alert" className="flex flex-1 flex-col gap-5 px-4 pt-4 md:px-6 md:pt-6">
      <ItemHead
        icon="alert"
        iconLook="text-wait"
        kind="Alert"
        badge={alert.status === 'escalated' && <Badge signal="stop">Needs a person</Badge>}
        title={title}
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
          <p className="font-medium break-words">
            <WithTimes text={diagnosis.detail} />
          </p>
          {diagnosis.hint !== null && <p className="mt-1 text-soft">{safeText(diagnosis.hint)}</p>}
        </div>
      )}
      <Facts alert={alert} />
      {item?.mine === false ? (
        <DeniedNote>{ownersOnly(item.session.ownerName, 'answer this')}</DeniedNote>
      ) : (
        isOpen(alert) && (
          <AlertActions alert={alert} mayNudge={item?.mayNudge !== false} resting={resting} bar={stickyBar} />
        )
      )}
      {!isOpen(alert) && after && (
        <div {...barAttribute} className={stickyBar}>
          {after}
        </div>
      )}
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
          Next: <Time at={alert.nextAt} />.
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

type AlertAction = { type: 'nudge'; words: string | null } | { type: 'dismiss' } | { type: 'stop' }

const done: Readonly<Record<AlertAction['type'], string>> = {
  nudge: 'Nudged',
  dismiss: 'Dismissed',
  stop: 'Session stopped',
}

type Deeds = { alert: Alert; mayNudge: boolean; resting: boolean; bar: string }

/** Nudge the agent, dismiss the alert, or stop the session. */
function AlertActions({ alert, mayNudge, resting, bar }: Deeds) {
  const [open, setOpen] = useState<'nudge' | 'stop' | null>(null)
  const close = () => setOpen(null)
  const act = useDeed(alert)
  const off = resting || act.isPending
  useShortcuts({
    a: off || !mayNudge ? undefined : () => setOpen('nudge'),
    e: off || !mayNudge ? undefined : () => setOpen('nudge'),
    r: off ? undefined : () => act.mutate({ type: 'dismiss' }),
  })
  return (
    <>
      <ActionBar className={bar}>
        <Row>
          <Button tone="stop-plain" disabled={off} onClick={() => setOpen('stop')}>
            Stop session
          </Button>
          <KeyButton letter="r" keys disabled={off} onClick={() => act.mutate({ type: 'dismiss' })}>
            Dismiss
          </KeyButton>
          {mayNudge && (
            <KeyButton letter="a" keys tone="main" disabled={off} onClick={() => setOpen('nudge')}>
              Nudge
            </KeyButton>
          )}
        </Row>
      </ActionBar>
      {open === 'nudge' && (
        <MessageDialog
          title="Nudge the agent"
          label="Message (optional)"
          hint="Leave empty to send the default."
          action="Nudge"
          close={close}
          send={(words) => act.mutate({ type: 'nudge', words: words === '' ? null : words })}
        />
      )}
      {open === 'stop' && (
        <ConfirmDialog
          title="Stop this session?"
          action="Stop session"
          close={close}
          confirm={() => act.mutate({ type: 'stop' })}
        >
          <p>The agent is stopped. Files are kept, and you can continue as a new session.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function useDeed(alert: Alert) {
  const client = useClient()
  const queries = useQueryClient()
  const { queryKey } = alertQuery(client, alert.id)
  const act = async (deed: AlertAction): Promise<Alert | null> => {
    const params = { id: alert.id }
    if (deed.type === 'nudge') return client.nudgeAlert({ params, body: { message: deed.words } })
    if (deed.type === 'dismiss') return client.dismissAlert({ params, body: {} })
    await client.cancelSession({ params: { id: alert.sessionId }, query: { reason: 'stopped after an alert' } })
    return null
  }
  return useAction(act, {
    done: ({ type }) => done[type],
    failed: ({ type }) => `Not done: ${done[type].toLowerCase()}`,
    stale: [queryKey],
    whenDone(after) {
      keepFocus()
      if (after) queries.setQueryData(queryKey, after)
    },
  })
}
