import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Alert } from '../../../src/domain/alert/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { ActionBar, KeyButton, Row } from '../asks/actions/action-bar.tsx'
import { ConfirmDialog } from '../asks/actions/confirm-dialog.tsx'
import { MessageDialog } from '../asks/actions/message-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { alertQuery } from './alert-query.ts'

type AlertAction = { type: 'nudge'; words: string | null } | { type: 'dismiss' } | { type: 'stop' }

const done: Readonly<Record<AlertAction['type'], string>> = {
  nudge: 'Nudged',
  dismiss: 'Dismissed',
  stop: 'Session stopped',
}

type Deeds = { alert: Alert; mayNudge: boolean; resting: boolean; bar: string }

/** Nudge the agent, dismiss the alert, or stop the session. */
export function AlertActions({ alert, mayNudge, resting, bar }: Deeds) {
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
