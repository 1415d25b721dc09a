import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useBackend, useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { HistoryLink } from '../inbox/inbox-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useRowKeys } from '../terminals/use-row-keys.ts'
import { byWeight, joined, type CatchUpEvents, severities, type CaughtUpEvent } from './catch-up-order.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, listTitle, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'

type Since = 'look' | 'hour' | 'day'
const sinces: readonly [Since, string][] = [
  ['look', 'Since your last visit'],
  ['hour', 'An hour'],
  ['day', 'A day'],
]
const backMs: Readonly<Record<Since, number | null>> = { look: null, hour: 3_600_000, day: 86_400_000 }
/** About as much as a person reads at once; more on request. */
const room = 12_000
const step = 50

/** What happened since the last visit, most important first. */
export function CatchUpView() {
  const { client, queries } = useBackend()
  const { since: wanted } = useSearch({ strict: false }) as { since?: unknown }
  const since = sinces.find(([name]) => name === wanted)?.[0] ?? 'look'
  const queryKey = ['catch-up', since]
  const { data, error, refetch, isFetching } = useQuery({
    queryKey,
    queryFn: async () => {
      const back = backMs[since]
      const before = back === null ? queries.getQueryData<CatchUpEvents>(queryKey) : undefined
      const from = back === null ? before?.cursor : new Date(Date.now() - back).toISOString()
      const told = await client.catchUp({ query: { tokenBudget: room, ...(from !== undefined && { since: from }) } })
      return joined(before, told)
    },
    refetchOnMount: since === 'look' ? true : 'always',
  })
  return (
    <>
      <PageHead title="Catch up" back={paths.search}>
        <HistoryLink />
        <Button icon="refresh" disabled={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </PageHead>
      <PageBody>
        <nav aria-label="Since when" className="mb-4 flex w-fit flex-wrap rounded-lg border border-line bg-panel p-0.5">
          {sinces.map(([name, label]) => (
            <Link
              key={name}
              to={paths.catchUp}
              search={name === 'look' ? {} : { since: name }}
              aria-current={name === since ? 'true' : undefined}
              className={`inline-flex min-h-10 items-center rounded-md px-3 text-sm font-medium pointer-fine:min-h-8 ${name === since ? 'bg-accent-soft text-accent' : 'text-soft hover:text-text'}`}
            >
              {label}
            </Link>
          ))}
        </nav>
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading what="Loading events…" />
        ) : (
          <EventList key={since} told={data} />
        )}
      </PageBody>
    </>
  )
}

function EventList({ told: { events, summary, omitted } }: { told: CatchUpEvents }) {
  const [most, setMost] = useState(step)
  const list = useRowKeys<HTMLUListElement>()
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['sessions', 'titles'],
    queryFn: () => client.listSessions({ query: { view: 'full', limit: 100 } }),
  })
  const titles = new Map(data?.sessions.map(({ id, title }) => [id, title]))
  const left = omitted.low + omitted.medium + omitted.high + omitted.critical
  const sorted = byWeight(events)
  if (events.length === 0 && left === 0)
    return (
      <Empty icon="check" title="Nothing new">
        {/* What still waits, if the title does not say so. */}
        {summary !== 'Nothing new.' && <p>{summary}</p>}
        <p>For earlier events, choose the last hour or the last day above.</p>
      </Empty>
    )
  return (
    <div className="flex flex-col gap-3">
      <p className="font-medium">{summary}</p>
      <Card className="overflow-hidden">
        <ul ref={list} className="divide-y divide-line">
          {sorted.slice(0, most).map((event, index) => (
            <CatchUpRow
              key={`${event.at} ${event.sessionId} ${index}`}
              event={event}
              title={(event.sessionId && titles.get(event.sessionId)) ?? null}
            />
          ))}
        </ul>
      </Card>
      {sorted.length > most && (
        <Button className="self-center" onClick={() => setMost(most + step)}>
          Show more ({sorted.length - most} left)
        </Button>
      )}
      {left > 0 && (
        <p className="text-sm text-soft">
          {left} less important {left === 1 ? 'is' : 'are'} not listed here; sessions and terminals show everything.
        </p>
      )}
    </div>
  )
}

/** Terminal events link to the terminal, asks to the ask, the rest to the session. */
function target({ kind, askId, sessionId, at }: CaughtUpEvent) {
  if (askId !== null) return { to: paths.ask, params: { id: askId } }
  if (sessionId === null) return null
  if (kind === 'prompt') return { to: paths.terminal, params: { id: sessionId } }
  if (kind === 'output' || kind === 'warning')
    return { to: paths.terminal, params: { id: sessionId }, search: { replay: at } }
  return { to: paths.session, params: { id: sessionId } }
}

function CatchUpRow({ event, title }: { event: CaughtUpEvent; title: string | null }) {
  const { severity, kind, text, context, times, at } = event
  const { words, signal } = severities[severity]
  const link = target(event)
  // Do not repeat below what the sentence already says.
  const around = context.filter((line) => line.trim() !== '' && !text.includes(line.trim()))
  return (
    <li className="relative flex flex-col gap-1 px-4 py-3 hover:bg-sunken">
      <p className="flex items-center gap-2 text-sm whitespace-nowrap text-soft">
        <Badge signal={signal}>{words}</Badge>
        <span>{kind}</span>
        {title !== null && <span className="min-w-0 truncate">{clip(listTitle(title), 60)}</span>}
        {times > 1 && <span>· {times} times</span>}
        <Time at={at} className="ml-auto shrink-0" />
      </p>
      {link ? (
        <Link {...link} data-row className="font-medium break-words after:absolute after:inset-0">
          {listTitle(text)}
        </Link>
      ) : (
        <span className="font-medium break-words">{listTitle(text)}</span>
      )}
      {around.length > 0 && (
        <pre className="max-h-40 overflow-hidden font-mono text-xs leading-5 break-all whitespace-pre-wrap text-soft">
          {safeText(around.join('\n'))}
        </pre>
      )}
    </li>
  )
}
