import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationSettings, PushDevice } from '../../../src/domain/push/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { SettingsPage } from './settings-page.tsx'
import { pushState, stateText, subscribe, unsubscribe } from '../../push/subscribe.ts'

export function NotificationsView() {
  const client = useClient()
  const devices = useQuery({ queryKey: ['devices'], queryFn: () => client.listPushDevices({}) })
  const settings = useQuery({ queryKey: ['notifications'], queryFn: () => client.getNotificationSettings({}) })
  return (
    <SettingsPage title="Notifications">
      <ThisBrowser />
      <Heading about="Your browsers and phones that get notifications.">Devices</Heading>
      {devices.isPending && <Loading />}
      {devices.isError && <Failed error={devices.error} retry={() => void devices.refetch()} />}
      {devices.data?.devices.length === 0 && <p className="text-soft">None yet.</p>}
      {devices.data && devices.data.devices.length > 0 && (
        <Rows label="Devices">
          {devices.data.devices.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </Rows>
      )}
      <Heading>What to notify you about</Heading>
      {settings.isError && <Failed error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data && <What settings={settings.data} />}
    </SettingsPage>
  )
}

function DeviceRow({ device }: { device: PushDevice }) {
  const client = useClient()
  const say = useToast()
  const params = { id: device.id }
  const test = useAction(() => client.testPush({ params, body: {} }), { failed: 'Not sent' })
  const remove = useAction(() => client.removePushDevice({ params }), {
    failed: 'Not removed',
    done: `${device.name} no longer gets notifications`,
    stale: [['devices']],
  })
  const tried = () =>
    test.mutate(undefined, {
      onSuccess: ({ delivered, error }) =>
        say(
          delivered
            ? { title: 'Sent; it should appear in a moment' }
            : { title: 'Not delivered', body: error ?? '', bad: true },
        ),
    })
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {safeText(device.name)} {device.lastError !== null && <Badge signal="stop">failing</Badge>}
        </span>
      }
      about={
        <>
          {device.lastSeenAt ? (
            <>
              last notification <Time at={device.lastSeenAt} />
            </>
          ) : (
            'no notifications yet'
          )}
          {` · via ${device.endpointHost}`}
          {device.lastError !== null && <span className="block text-stop">{device.lastError}</span>}
        </>
      }
    >
      <Button onClick={tried} disabled={test.isPending}>
        Send a test
      </Button>
      <ConfirmButton label="Remove" title={`Remove ${device.name}?`} sure="Remove" run={() => remove.mutate(undefined)}>
        It gets no more notifications until it is added again.
      </ConfirmButton>
    </Row>
  )
}

function What({ settings }: { settings: NotificationSettings }) {
  const client = useClient()
  const [from, setFrom] = useState(settings.quietHours?.from ?? '22:00')
  const [to, setTo] = useState(settings.quietHours?.to ?? '07:00')
  const zone = settings.quietHours?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const save = useAction((next: NotificationSettings) => client.setNotificationSettings({ body: next }), {
    failed: 'Not changed',
    done: 'Saved',
    stale: [['notifications']],
  })
  const quiet = settings.quietHours !== null
  const hours = { from, to, timeZone: zone }
  const isChanged = quiet && (from !== settings.quietHours?.from || to !== settings.quietHours?.to)
  return (
    <Card className="flex flex-col gap-2 p-4">
      <CheckField
        label="Something needs you"
        hint="Asks and alerts, with a sound. Not while you are viewing that session."
        checked={settings.needsYou}
        onChange={(event) => save.mutate({ ...settings, needsYou: event.target.checked })}
      />
      <CheckField
        label="When work is done"
        hint="A turn or session ended. No sound."
        checked={settings.done}
        onChange={(event) => save.mutate({ ...settings, done: event.target.checked })}
      />
      <CheckField
        label="Quiet hours"
        hint={`No sounds, except for critical or dangerous asks. Times are in ${zone}.`}
        checked={quiet}
        onChange={(event) => save.mutate({ ...settings, quietHours: event.target.checked ? hours : null })}
      />
      {quiet && (
        <div className="flex flex-wrap items-end gap-3 pl-8">
          <TextField label="From" type="time" value={from} onChange={(event) => setFrom(event.target.value)} />
          <TextField label="To" type="time" value={to} onChange={(event) => setTo(event.target.value)} />
          <Button
            disabled={!isChanged || save.isPending}
            onClick={() => save.mutate({ ...settings, quietHours: hours })}
          >
            Save
          </Button>
        </div>
      )}
    </Card>
  )
}

/** Notification state of this browser, with a switch. */
function ThisBrowser() {
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
