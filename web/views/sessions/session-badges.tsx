import type { Session } from '../../../src/domain/session/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { connectivityLabels, stateLabel } from './session-labels.ts'

export function StatusBadge({ session }: { session: Pick<Session, 'status' | 'activity' | 'queuePosition'> }) {
  const { label, signal, about } = stateLabel(session)
  return (
    <Badge signal={signal} title={about}>
      {label}
      {session.queuePosition !== null && ` (${session.queuePosition})`}
    </Badge>
  )
}

/** "Online" is expected of an active session, so only other states are shown. */
export function ConnectivityBadge({ session }: { session: Pick<Session, 'status' | 'connectivityStatus'> }) {
  const { status, connectivityStatus } = session
  if (connectivityStatus === 'online' || !['created', 'active', 'paused'].includes(status)) return null
  const { label, signal, about } = connectivityLabels[connectivityStatus]
  return (
    <Badge signal={signal} title={about}>
      {label}
    </Badge>
  )
}

export const WaitingBadge = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Badge signal="stop" title="Open asks of this session">
      <Icon name="inbox" className="size-3.5" />
      {count === 1 ? '1 ask' : `${count} asks`}
    </Badge>
  )
