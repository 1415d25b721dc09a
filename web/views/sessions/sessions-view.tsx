import { useInfiniteQuery, infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useEffect, useRef, useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Client } from '../../api/transport.ts'
import { agentsQuery, reposQuery } from '../../api/queries.ts'
import { SelectField, TextField, inputLook } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import {
  filtersOf,
  isDate,
  isFiltered,
  noFilters,
  searchOf,
  type Filters,
  queryOf,
  statusGroups,
  whens,
} from './filters.ts'
import { groupings, useGrouping, type Grouping } from './grouping.ts'
import { SessionList } from './session-list.tsx'

export function SessionsView() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const filters = filtersOf(search)
  const navigate = useNavigate()
  const list = useInfiniteQuery(sessionsQuery(useClient(), filters))
  const pinned = useQuery(pinnedQuery(useClient(), filters))
  // Pinned ones come first, and once.
  const sessions = useMemo(() => {
    const first = pinned.data?.sessions ?? []
    const ids = new Set(first.map(({ id }) => id))
    return [...first, ...(list.data?.pages.flatMap((page) => page.sessions) ?? []).filter(({ id }) => !ids.has(id))]
  }, [list.data, pinned.data])
  const total = list.data?.pages[0]?.total
  const [grouping, group] = useGrouping()
  const change = (next: Filters) => void navigate({ to: paths.sessions, search: searchOf(next), replace: true })
  return (
    <>
      <PageHead title="Sessions" about={total === undefined ? 'All agent activity' : countWords(total, filters)}>
        <ButtonLink tone="quiet" icon="clock" to={paths.schedules} aria-label="Schedules" className="px-2 md:hidden" />
        <ButtonLink tone="main" icon="plus" to={paths.newSession}>
          New session
        </ButtonLink>
      </PageHead>
      <FilterBar filters={filters} change={change} grouping={grouping} group={group} />
      {list.isPending ? (
        <Loading />
      ) : list.isError && sessions.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : sessions.length === 0 ? (
        <NoSessions filtered={isFiltered(filters)} clear={() => change(noFilters)} />
      ) : (
        <SessionList
          grouping={grouping}
          sessions={sessions}
          more={list.hasNextPage}
          loadMore={() => void (list.isFetchingNextPage || list.fetchNextPage())}
        />
      )}
    </>
  )
}

const countWords = (total: number, filters: Filters): string => {
  const count = total === 1 ? '1 session' : `${total.toLocaleString()} sessions`
  return isFiltered(filters) ? `${count} matching` : count
}

const NoSessions = ({ filtered, clear }: { filtered: boolean; clear: () => void }) =>
  filtered ? (
    <Empty icon="search" title="No matching sessions">
      <p>Clear a filter, or try other words. To find what agents said, use Search.</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={clear}>Show all sessions</Button>
        <ButtonLink to={paths.search} icon="search">
          Search conversations
        </ButtonLink>
      </div>
    </Empty>
  ) : (
    <Empty icon="sessions" title="No session yet">
      <p>A session is one agent working in one folder. Try it with the practice agent: it needs no account.</p>
      <div className="flex flex-wrap justify-center gap-2">
        <ButtonLink tone="main" icon="play" to={paths.welcome}>
          Take the tour
        </ButtonLink>
        <ButtonLink icon="plus" to={paths.newSession}>
          Start a session
        </ButtonLink>
      </div>
    </Empty>
  )

const pageSize = 100

const pinnedQuery = (client: Client, filters: Filters) =>
  queryOptions({
    queryKey: ['sessions', 'pinned', filters],
    queryFn: () =>
      client.listSessions({ query: { view: 'full', limit: pageSize, ...wanted(filters), pinned: 'true' } }),
  })

const wanted = (filters: Filters) => ({
  ...queryOf(filters),
  ...(filters.repo !== '' && { repoId: filters.repo }),
})

const sessionsQuery = (client: Client, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', filters],
    queryFn: ({ pageParam }) =>
      client.listSessions({
        query: {
          view: 'full',
          limit: pageSize,
          ...wanted(filters),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

const patienceMs = 250

type Props = { filters: Filters; change: (next: Filters) => void }

/** Search and filters; folded on a phone. */
function FilterBar({
  filters,
  change,
  grouping,
  group,
}: Props & { grouping: Grouping; group: (next: Grouping) => void }) {
  const [open, setOpen] = useState(false)
  const chosen = Object.entries(filters).filter(
    ([name, value]) => name !== 'q' && value !== '' && value !== false,
  ).length
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-3 md:px-6 xl:flex-row xl:items-center">
      <div className="flex min-w-0 gap-2 xl:w-72 xl:shrink-0">
        <SearchBox filters={filters} change={change} />
        <Button className="md:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
          Filters{chosen > 0 && ` (${chosen})`}
        </Button>
      </div>
      <div
        className={`${open ? 'grid' : 'hidden'} grid-cols-2 gap-2 md:grid md:min-w-0 md:flex-1 md:grid-cols-3 md:items-center lg:grid-cols-4 xl:flex xl:flex-wrap xl:*:max-w-36`}
      >
        <Choices filters={filters} change={change} />
        <SelectField
          label="Group by"
          hideLabel
          value={grouping}
          onChange={({ target }) => group(target.value as Grouping)}
        >
          {Object.entries(groupings).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
    </div>
  )
}

/** The list is filtered once typing stops. */
function SearchBox({ filters, change }: Props) {
  const [words, setWords] = useState(filters.q)
  const [known, setKnown] = useState(filters.q)
  if (filters.q !== known) {
    setKnown(filters.q)
    setWords(filters.q)
  }
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  return (
    <input
      type="search"
      aria-label="Search sessions"
      placeholder="Search sessions"
      value={words}
      onChange={({ target }) => {
        setWords(target.value)
        clearTimeout(waiting.current)
        waiting.current = setTimeout(() => {
          setKnown(target.value)
          change({ ...filters, q: target.value })
        }, patienceMs)
      }}
      className={inputLook}
    />
  )
}

/** Days, or one day. */
function WhenField({ filters, change }: Props) {
  const [picks, setPicks] = useState(false)
  const { when } = filters
  const isDay = isDate(when)
  return (
    <>
      <SelectField
        label="When"
        hideLabel
        value={isDay || picks ? 'day' : when}
        onChange={({ target }) => {
          setPicks(target.value === 'day')
          if (target.value !== 'day') change({ ...filters, when: target.value })
        }}
      >
        <option value="">Any time</option>
        {Object.entries(whens).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <option value="day">On a day…</option>
      </SelectField>
      {(isDay || picks) && (
        <TextField
          label="Day"
          hideLabel
          type="date"
          value={isDay ? when : ''}
          onChange={({ target }) => change({ ...filters, when: isDate(target.value) ? target.value : '' })}
        />
      )}
    </>
  )
}

function Choices({ filters, change }: Props) {
  const client = useClient()
  const { data: agents } = useQuery(agentsQuery(client))
  const { data: repos } = useQuery(reposQuery(client))
  const pick = (name: 'status' | 'agent' | 'repo' | 'protocol') => ({
    value: filters[name],
    onChange: ({ target }: { target: { value: string } }) => change({ ...filters, [name]: target.value }),
    hideLabel: true,
  })
  const names = agents?.agents.map(({ name }) => name) ?? []
  return (
    <>
      <SelectField label="Status" {...pick('status')}>
        <option value="">Any status</option>
        {statusGroups.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField label="Agent" {...pick('agent')}>
        <option value="">Any agent</option>
        {/* An agent that is not configured may still have sessions. */}
        {[...new Set([...names, ...(filters.agent === '' ? [] : [filters.agent])])].map((name) => (
          <option key={name} value={name}>
            {safeText(name)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Repo" {...pick('repo')}>
        <option value="">Any repo</option>
        {repos?.map(({ id, name }) => (
          <option key={id} value={id}>
            {safeText(name)}
          </option>
        ))}
      </SelectField>
      <WhenField filters={filters} change={change} />
      <SelectField label="Kind" {...pick('protocol')}>
        <option value="">Any kind</option>
        <option value="acp">Hosted (ACP)</option>
        <option value="mcp">Connected (MCP)</option>
        <option value="terminal">Terminal</option>
      </SelectField>
      <Button
        aria-pressed={filters.waiting}
        onClick={() => change({ ...filters, waiting: !filters.waiting })}
        className={filters.waiting ? 'border-accent! bg-accent-soft!' : ''}
      >
        Waiting
      </Button>
      <Button
        aria-pressed={filters.archived}
        onClick={() => change({ ...filters, archived: !filters.archived })}
        className={filters.archived ? 'border-accent! bg-accent-soft!' : ''}
      >
        Archived
      </Button>
      {isFiltered(filters) && (
        <Button tone="quiet" className="md:justify-self-start" onClick={() => change(noFilters)}>
          Clear
        </Button>
      )}
    </>
  )
}
