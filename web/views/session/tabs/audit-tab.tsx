import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Event } from '../../../../src/domain/audit/schema.ts'
import { actorName } from '../../../api/actor-name.ts'
import { useClient } from '../../../api/backend.tsx'
import { namesQuery } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CheckField } from '../../../ui/field.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { exactTime } from '../../../ui/relative-time.ts'
import { eventText } from './event-text.ts'

const shownTypes = 'session.*,ask.*,queue.*,checkpoint.*,alert.*,terminal.*,input.*,policy.*,security.*'

/** Who did what in this session, to the millisecond. */
export function AuditTab({ session: { id } }: { session: SessionDetail }) {
  const client = useClient()
  const { data: names } = useQuery(namesQuery(client))
  const [messages, setMessages] = useState(false)
  const found = useInfiniteQuery({
    queryKey: ['audit', 'session', id, messages],
    queryFn: ({ pageParam }) =>
      client.searchAudit({
        query: {
          session: id,
          limit: 100,
          ...(!messages && { type: shownTypes }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (found.isPending) return <Loading />
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />
  const people = new Map<string, string>(names?.people.map((person) => [person.id, person.displayName]))
  const events = found.data.pages.flatMap((page) => page.events)
  if (events.length === 0)
    return (
      <Empty icon="list" title="No events">
        <p>Only people who can read the session see its log.</p>
      </Empty>
    )
  return (
    <>
      <CheckField
        label="With messages"
        hint="Shows that a message was sent, not its text."
        checked={messages}
        onChange={({ target }) => setMessages(target.checked)}
      />
      <Card>
        <ol aria-label="Events, newest first" className="divide-y divide-line">
          {events.map((event) => (
            <EventRow key={event.id} event={event} who={actorName(event.actor, people)} />
          ))}
        </ol>
      </Card>
      {found.hasNextPage && (
        <Button className="self-start" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {found.isFetchingNextPage ? 'Reading …' : 'Older'}
        </Button>
      )}
    </>
  )
}

const askIn = ({ type, data }: Event): string | null =>
  type.startsWith('ask.') && typeof data['id'] === 'string' ? data['id'] : null

function EventRow({ event, who }: { event: Event; who: string }) {
  const ask = askIn(event)
  return (
    <li className="grid gap-x-4 px-4 py-2 lg:grid-cols-[11.5rem_minmax(0,1fr)_max-content]">
      <time dateTime={event.at} title={exactTime(event.at)} className="font-mono text-xs leading-6 text-soft">
        {clockTime(event.at)}
      </time>
      <p className="min-w-0 break-words">
        <span className="font-medium">{safeText(who)}</span> {clip(safeText(eventText(event)), 500)}
        {ask !== null && (
          <>
            {' '}
            <Link to={paths.ask} params={{ id: ask }} className="text-sm text-link underline">
              the ask
            </Link>
          </>
        )}
      </p>
      <code className="font-mono text-xs leading-6 text-soft">{event.type}</code>
    </li>
  )
}

/** Local time with milliseconds: order matters here. */
function clockTime(at: string): string {
  const date = new Date(at)
  const two = (part: number, width = 2) => String(part).padStart(width, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`
}
