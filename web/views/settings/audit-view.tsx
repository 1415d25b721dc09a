import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { Event } from '../../../src/domain/audit/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { download } from '../../api/download.ts'
import { namesQuery } from '../../api/queries.ts'
import { actorName } from '../../api/actor-name.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Card } from '../../ui/card.tsx'
import { eventText } from '../session/tabs/event-text.ts'
import { SettingsPage } from './settings-page.tsx'

type ChosenFilter = { text?: string; type?: string; actor?: string; since?: string }

export function AuditView() {
  const client = useClient()
  const navigate = useNavigate()
  const filter: ChosenFilter = useSearch({ strict: false })
  const names = useQuery(namesQuery(client))
  const { text, type, actor, since } = filter
  const found = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) =>
      client.searchAudit({
        query: {
          limit: 100,
          ...(text && { text }),
          ...(type && { type }),
          ...(actor && { actor }),
          ...(since && { since: new Date(since).toISOString() }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const events = found.data?.pages.flatMap((page) => page.events) ?? []
  const people = new Map<string, string>(names.data?.people.map(({ id, displayName }) => [id, displayName]))
  return (
    <SettingsPage title="Audit">
      <AuditFilter filter={filter} choose={(next) => void navigate({ to: paths.audit, search: next })} />
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data && events.length === 0 && (
        <Empty icon="list" title="No matching events">
          <p>Try fewer words or another time range.</p>
        </Empty>
      )}
      {events.length > 0 && (
        <Card>
          <ol aria-label="Events, newest first" className="divide-y divide-line">
            {events.map((event) => (
              <EventRow key={event.id} event={event} people={people} />
            ))}
          </ol>
        </Card>
      )}
      {found.hasNextPage && (
        <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          Older
        </Button>
      )}
    </SettingsPage>
  )
}

function AuditFilter({ filter, choose }: { filter: ChosenFilter; choose: (next: ChosenFilter) => void }) {
  const [draft, setDraft] = useState(filter)
  const save = useAction(() => download('/api/audit/export', 'signalbox-audit.ndjson'), { failed: 'Not exported' })
  const set = (name: keyof ChosenFilter) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [name]: event.target.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    choose(Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== '')))
  }
  return (
    <form onSubmit={submit} className="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[2fr_1fr_1fr_1fr_auto]">
      <TextField label="Words" type="search" value={draft.text ?? ''} onChange={set('text')} />
      <TextField label="What" placeholder="ask.*, session.started" value={draft.type ?? ''} onChange={set('type')} />
      <TextField label="Who" placeholder="user:…, policy:…" value={draft.actor ?? ''} onChange={set('actor')} />
      <TextField label="Since" type="datetime-local" value={draft.since ?? ''} onChange={set('since')} />
      <div className="flex gap-2">
        <Button type="submit" icon="search">
          Search
        </Button>
        <Button tone="quiet" icon="file" disabled={save.isPending} onClick={() => save.mutate()}>
          Export
        </Button>
      </div>
    </form>
  )
}

const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[\da-f]{8}-[\da-f-]{27}$|^[\da-f]{40,}$/i.test(value)

/** Ids and hashes say nothing to people; the export has them. A person is named. */
const factsOf = ({ data }: Event, people: ReadonlyMap<string, string>): string =>
  Object.entries(data)
    .map(([name, value]) => [name, typeof value === 'string' ? (people.get(value) ?? value) : value] as const)
    .filter(([, value]) => value !== null && value !== '' && typeof value !== 'object' && !isId(value))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(' · ')

function EventRow({ event, people }: { event: Event; people: ReadonlyMap<string, string> }) {
  const words = eventText(event)
  const facts = words === event.type ? factsOf(event, people) : ''
  return (
    <li className="grid gap-x-4 px-4 py-2 sm:grid-cols-[5.5rem_minmax(0,1fr)_max-content]">
      <Time at={event.at} className="text-sm text-soft" />
      <div className="min-w-0">
        <p className="break-words">
          <span className="font-medium">{actorName(event.actor, people)}</span>{' '}
          {words === event.type ? (
            <code className="font-mono text-sm">{event.type}</code>
          ) : (
            <>
              {clip(safeText(words), 400)} <code className="font-mono text-xs text-soft">{event.type}</code>
            </>
          )}
        </p>
        {facts !== '' && <p className="text-sm break-words text-soft">{clip(safeText(facts), 400)}</p>}
      </div>
      {event.sessionId && (
        <Link to={paths.session} params={{ id: event.sessionId }} className="text-sm text-link underline">
          session
        </Link>
      )}
    </li>
  )
}
