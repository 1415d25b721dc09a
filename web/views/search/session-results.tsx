import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { isId, sinceOf, type SearchParams } from './search-params.ts'
import { ResultGroup, HighlightedText } from './result-parts.tsx'

/** Sessions by title, prompt, agent, repo, folder or start of their id. */
export function SessionResults({ asked }: { asked: SearchParams }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'sessions', asked.q],
    queryFn: () => client.listSessions({ query: { q: asked.q.slice(0, 200), view: 'full', limit: 20 } }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  const since = sinceOf(asked.age, Date.now())
  const found = data?.sessions.filter(({ updatedAt }) => since === null || updatedAt >= since)
  const isJump = isId(asked.q)
  const left = data && data.total > data.sessions.length
  return (
    <ResultGroup
      title="Sessions"
      error={error}
      retry={() => void refetch()}
      count={found?.length}
      note={
        left && (
          <Link to={paths.sessions} search={{ q: asked.q }} className="font-medium text-link hover:underline">
            All {data.total}
          </Link>
        )
      }
    >
      <ul className="divide-y divide-line">
        {found?.map(({ id, title, agent, repoName, workspaceRoot, status, protocolMode, updatedAt }) => (
          <li key={id} className="relative px-4 py-2.5 hover:bg-sunken">
            <div className="flex items-center gap-3">
              <Link
                to={protocolMode === 'terminal' ? paths.terminal : paths.session}
                params={{ id }}
                data-row
                className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
              >
                <HighlightedText text={clip(title ?? agent ?? id, 160)} sought={{ q: asked.q, regex: false }} />
              </Link>
              <Badge>{status.replaceAll('_', ' ')}</Badge>
            </div>
            <p className="flex gap-2 truncate text-sm text-soft">
              {isJump && <code className="font-mono">{id.slice(0, 8)}</code>}
              <span className="min-w-0 truncate">{safeText(repoName ?? workspaceRoot)}</span>
              <Time at={updatedAt} className="ml-auto shrink-0" />
            </p>
          </li>
        ))}
      </ul>
    </ResultGroup>
  )
}
