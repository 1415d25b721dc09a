import { useInfiniteQuery, infiniteQueryOptions } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filtersOf, isFiltered, noFilters, searchOf, type Filters, queryOf } from './filters.ts'
import { SessionList } from './session-list.tsx'
import type { Client } from '../../api/transport.ts'

export function SessionsView() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const filters = filtersOf(search)
  const navigate = useNavigate()
  const list = useInfiniteQuery(sessionsQuery(useClient(), filters))
  const sessions = useMemo(() => list.data?.pages.flatMap((page) => page.sessions) ?? [], [list.data])
  const total = list.data?.pages[0]?.total
  const change = (next: Filters) => void navigate({ to: paths.sessions, search: searchOf(next), replace: true })
  return (
    <>
      <PageHead title="Sessions" about={total === undefined ? 'All agent activity' : countWords(total, filters)}>
        <ButtonLink tone="main" icon="plus" to={paths.newSession}>
          New session
        </ButtonLink>
      </PageHead>
      <FilterBar filters={filters} change={change} />
      {list.isPending ? (
        <Loading />
      ) : list.isError && sessions.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : sessions.length === 0 ? (
        <NoSessions filtered={isFiltered(filters)} clear={() => change(noFilters)} />
      ) : (
        <SessionList
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

const sessionsQuery = (client: Client, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', filters],
    queryFn: ({ pageParam }) =>
      client.listSessions({
        query: {
          view: 'full',
          limit: pageSize,
          ...queryOf(filters),
          ...(filters.repo !== '' && { repoId: filters.repo }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
