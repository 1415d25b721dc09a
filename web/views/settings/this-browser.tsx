import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { pushState, stateText, subscribe, unsubscribe } from '../../push/subscribe.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'

/** Notification state of this browser, with a switch. */
export function ThisBrowser() {
  const client = useClient()
  const devices = useQuery({ queryKey: ['devices'], queryFn: () => client.listPushDevices({}) })
  const known = devices.data?.devices.map(({ id }) => id).join(' ')
  const state = useQuery({
    queryKey: ['devices', 'this', known],
    queryFn: () => pushState(devices.data?.devices ?? []),
    enabled: devices.isSuccess,
  })
  const words = { stale: [['devices']] as const }
  const on = useAction(() => subscribe(client), { failed: 'Notifications were not turned on', ...words })
  const off = useAction(() => unsubscribe(client), { failed: 'Notifications are still on', ...words })
  return (
    <Rows label="This browser">
      <Row
        title={
          <span className="flex items-center gap-2">
            This browser {state.data === 'subscribed' && <Badge signal="clear">on</Badge>}
          </span>
        }
        about={state.data ? stateText[state.data] : ' '}
      >
        {(state.data === 'ask' || state.data === 'allowed') && (
          <Button tone="main" icon="bell" disabled={on.isPending} onClick={() => on.mutate(undefined)}>
            {on.isPending ? 'Waiting…' : 'Turn on'}
          </Button>
        )}
        {state.data === 'subscribed' && (
          <Button disabled={off.isPending} onClick={() => off.mutate(undefined)}>
            Turn off
          </Button>
        )}
      </Row>
    </Rows>
  )
}
