import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useClient } from '../../api/backend.tsx'
import { ApiError } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { Time } from '../../ui/time.tsx'
import { errorText } from '../../ui/states.tsx'
import { StatusBadge } from './session-badges.tsx'
import { titleOf } from './session-labels.ts'

/** Why a session could not be started, and what to do. */
export function StartError({ error }: { error: unknown }) {
  const { message, hint } = errorText(error)
  const code = error instanceof ApiError ? error.code : ''
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [error])
  return (
    <div ref={box} role="alert" className="flex flex-col gap-2 rounded-xl border border-line bg-stop-soft p-4">
      <p className="font-semibold text-stop">{message}</p>
      {code === 'session_limit' ? (
        <p>End one of these, or raise the limit in config.toml.</p>
      ) : (
        hint && <p className="whitespace-pre-wrap">{hint}</p>
      )}
      {code === 'agent_needs_login' && (
        <p>Choose a way to sign in above, or sign in where Signalbox runs, and start again.</p>
      )}
      {code === 'session_limit' && error instanceof ApiError && <SlotHolders protocol={protocolIn(error)} />}
    </div>
  )
}

const protocolIn = ({ details }: ApiError): string =>
  typeof details?.['protocolMode'] === 'string' ? details['protocolMode'] : 'acp'

/** Sessions that hold slots, longest idle first. */
function SlotHolders({ protocol }: { protocol: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['sessions', 'holders', protocol],
    queryFn: () =>
      client.listSessions({ query: { view: 'full', status: 'created,active,paused', protocol, limit: 100 } }),
  })
  const heardAt = ({ lastActivityAt, updatedAt }: { lastActivityAt: string | null; updatedAt: string }) =>
    lastActivityAt ?? updatedAt
  const holders = data?.sessions.toSorted((a, b) => heardAt(a).localeCompare(heardAt(b))) ?? []
  if (holders.length === 0) return null
  return (
    <div>
      <p className="mb-1 text-sm font-medium">Sessions using the slots:</p>
      <ul className="flex flex-col divide-y divide-line rounded-lg bg-panel">
        {holders.slice(0, 10).map((session) => (
          <li key={session.id}>
            <Link
              to={paths.session}
              params={{ id: session.id }}
              className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5 hover:bg-sunken"
            >
              <span className="min-w-0 flex-1 basis-48 truncate">{titleOf(session, session.title)}</span>
              <StatusBadge session={session} />
              <span className="text-sm text-soft">
                {session.ownerName}, active <Time at={heardAt(session)} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
