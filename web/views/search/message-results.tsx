import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Time } from '../../ui/time.tsx'
import { sinceOf, type SearchParams } from './search-params.ts'
import { ResultGroup, HighlightedText } from './result-parts.tsx'

const speakers: Readonly<Record<string, string>> = {
  user: 'You said',
  agent: 'The agent said',
  system: 'Signalbox said',
}

/** Messages by whole words, newest first. */
export function MessageResults({ asked }: { asked: SearchParams }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'messages', asked.q],
    queryFn: ({ signal }) => client.searchMessages({ query: { q: asked.q, limit: 50 }, signal }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  const since = sinceOf(asked.age, Date.now())
  const found = data?.messages.filter(({ timestamp }) => since === null || timestamp >= since)
  return (
    <ResultGroup title="Conversations" error={error} retry={() => void refetch()} count={found?.length}>
      <ul className="divide-y divide-line">
        {found?.map(({ id, sessionId, role, content, timestamp, snippet }) => (
          <li key={id} className="relative px-4 py-2.5 hover:bg-sunken">
            <Link
              to={paths.session}
              params={{ id: sessionId }}
              hash={`message-${id}`}
              data-row
              className="flex gap-2 text-sm text-soft after:absolute after:inset-0"
            >
              <span>{content.type === 'tool' ? 'The agent did' : (speakers[role] ?? role)}</span>
              <Time at={timestamp} className="ml-auto" />
            </Link>
            <p className="line-clamp-3 break-words">
              <HighlightedText text={snippet} sought={{ q: asked.q, regex: false }} />
            </p>
          </li>
        ))}
      </ul>
    </ResultGroup>
  )
}
