import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { nameOf, type TerminalView } from '../../terminal/terminal-text.ts'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { searchOf, sinceOf, type SearchParams } from './search-params.ts'
import { ResultGroup, HighlightedText } from './result-parts.tsx'

/** Terminal output with the lines around it; each result links to that moment of the recording. */
export function TerminalResults({ asked }: { asked: SearchParams }) {
  const client = useClient()
  const { q, regex, age } = asked
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'terminals', q, String(regex), age],
    queryFn: ({ signal }) => {
      const since = sinceOf(age, Date.now())
      return client.searchTerminals({
        query: { q, regex, contextLines: 2, maxResults: 50, ...(since !== null && { since }) },
        signal,
      })
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const { data: terminals } = useQuery({ queryKey: ['terminals', 'all'], queryFn: () => client.listTerminals({}) })
  const names = new Map(terminals?.terminals.map((one: TerminalView) => [one.sessionId, nameOf(one)]))
  return (
    <ResultGroup
      title="Terminals"
      error={error}
      retry={() => void refetch()}
      count={data?.matches.length}
      note={
        data && (
          <>
            {data.truncated && 'Too much to search: narrow it by words or by time. '}
            {data.matches.length === 0 && q.includes(' ') && 'Terminal output is searched for this exact text. '}
            {data.matches.length === 0 && data.didYouMean.length > 0 && (
              <>
                Did you mean{' '}
                {data.didYouMean.map((word) => (
                  <Link
                    key={word}
                    to={paths.search}
                    search={searchOf({ ...asked, q: word })}
                    className="mr-2 font-medium text-link underline"
                  >
                    {safeText(word)}
                  </Link>
                ))}
              </>
            )}
          </>
        )
      }
    >
      <ul className="divide-y divide-line">
        {data?.matches.map(({ sessionId, line, offset, at, before, after }) => (
          <li key={`${sessionId} ${offset}`} className="relative px-4 py-2.5 hover:bg-sunken">
            <Link
              to={paths.terminal}
              params={{ id: sessionId }}
              search={{ replay: at }}
              data-row
              className="mb-1 flex gap-2 text-sm text-soft after:absolute after:inset-0"
            >
              <span className="min-w-0 truncate font-medium text-text">
                {names.get(sessionId) ?? sessionId.slice(0, 8)}
              </span>
              <Time at={at} className="ml-auto shrink-0" />
            </Link>
            <pre className="overflow-hidden font-mono text-xs leading-5 break-all whitespace-pre-wrap">
              {before.map((text, index) => (
                <span key={`before ${index}`} className="block text-soft">
                  {safeText(text).slice(0, 300) || ' '}
                </span>
              ))}
              <span className="block">
                <HighlightedText text={line} sought={asked} />
              </span>
              {after.map((text, index) => (
                <span key={`after ${index}`} className="block text-soft">
                  {safeText(text).slice(0, 300) || ' '}
                </span>
              ))}
            </pre>
          </li>
        ))}
      </ul>
    </ResultGroup>
  )
}
