import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { outcomesOf } from '../../../src/domain/ask/outcomes.ts'
import { useClient } from '../../api/backend.tsx'
import { namesQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Rows } from '../../ui/rows.tsx'
import { clip, listTitle } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useRowKeys } from '../terminals/use-row-keys.ts'
import { AnswerRow } from './answer-row.tsx'

type Filter = { person?: string; session?: string; kind?: string; how?: string }
const pageSize = 30

/** What was answered, by whom and when, with undo and retract. */
export function HistoryView() {
  const client = useClient()
  const navigate = useNavigate()
  const filter: Filter = useSearch({ strict: false })
  const { person, session, kind, how } = filter
  const found = useInfiniteQuery({
    queryKey: ['answers', filter],
    queryFn: ({ pageParam }) =>
      client.listAsks({
        query: {
          order: 'answered',
          limit: pageSize,
          ...(person && { answeredBy: person }),
          ...(session && { sessionId: session }),
          ...(kind && { kind }),
          ...(how && { automatic: how === 'rule' ? 'true' : 'false' }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const { data: sessions } = useQuery({
    queryKey: ['sessions', 'titles'],
    queryFn: () => client.listSessions({ query: { view: 'full', limit: 100 } }),
  })
  const titles = new Map<string, string>(sessions?.sessions.map(({ id, title }) => [id, title ?? '']))
  const asks = found.data?.pages.flatMap((page) => page.asks) ?? []
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const list = useRowKeys<HTMLDivElement>()
  return (
    <>
      <PageHead title="History" back={paths.inbox} about="Past answers, newest first" />
      <PageBody>
        <div ref={list} className="flex flex-col gap-4">
          <HistoryFilter
            filter={filter}
            titles={titles}
            choose={(next) => void navigate({ to: paths.history, search: next, replace: true })}
          />
          {found.isPending && <Loading />}
          {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
          {found.data && asks.length === 0 && (
            <Empty icon="list" title={isFiltered ? 'No matching answers' : 'No answers yet'}>
              <p>{isFiltered ? 'Change the filters above.' : 'What you and others answer is listed here.'}</p>
            </Empty>
          )}
          {asks.length > 0 && (
            <Rows label="Answers, newest first">
              {asks.map((ask) => (
                <AnswerRow key={ask.id} ask={ask} title={titles.get(ask.sessionId ?? '') ?? null} />
              ))}
            </Rows>
          )}
          {found.hasNextPage && (
            <Button
              className="self-center"
              disabled={found.isFetchingNextPage}
              onClick={() => void found.fetchNextPage()}
            >
              Older
            </Button>
          )}
        </div>
      </PageBody>
    </>
  )
}

type FilterProps = { filter: Filter; titles: ReadonlyMap<string, string>; choose: (next: Filter) => void }

function HistoryFilter({ filter, titles, choose }: FilterProps) {
  const { data: names } = useQuery(namesQuery(useClient()))
  const set =
    (name: keyof Filter) =>
    ({ target }: { target: { value: string } }) => {
      const { [name]: _, ...rest } = filter
      choose(target.value === '' ? rest : { ...rest, [name]: target.value })
    }
  const { session = '' } = filter
  return (
    <div role="group" aria-label="Filter" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <SelectField label="Answered by" value={filter.person ?? ''} onChange={set('person')}>
        <option value="">Everyone</option>
        {names?.people.map(({ id, displayName }) => (
          <option key={id} value={id}>
            {clip(listTitle(displayName), 60)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Session" value={session} onChange={set('session')}>
        <option value="">All sessions</option>
        {session !== '' && !titles.has(session) && <option value={session}>One session</option>}
        {[...titles].map(([id, title]) => (
          <option key={id} value={id}>
            {clip(listTitle(title), 60) || id.slice(0, 8)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Kind" value={filter.kind ?? ''} onChange={set('kind')}>
        <option value="">All kinds</option>
        {Object.keys(outcomesOf).map((kind) => (
          <option key={kind} value={kind}>
            {kind.replaceAll('_', ' ')}
          </option>
        ))}
      </SelectField>
      <SelectField label="Decided" value={filter.how ?? ''} onChange={set('how')}>
        <option value="">Any way</option>
        <option value="people">By people</option>
        <option value="rule">By a rule</option>
      </SelectField>
    </div>
  )
}
