import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { clip, listTitle, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { nameOf, type TerminalView } from '../../terminal/terminal-text.ts'
import { Card } from '../../ui/card.tsx'
import { Failed } from '../../ui/states.tsx'
import { stateLabel, titleOf } from '../sessions/session-labels.ts'
import { isId, sinceOf, type SearchParams, searchOf } from './search-params.ts'
import { wordMatches, regexMatches } from './match-pieces.ts'

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
      more={left === true && found?.length === data.sessions.length}
      note={
        left && (
          <Link to={paths.sessions} search={{ q: asked.q }} className="font-medium text-link hover:underline">
            All {data.total}
          </Link>
        )
      }
    >
      <ul className="divide-y divide-line">
        {found?.map(({ id, title, prompt, repoName, workspaceRoot, status, activity, protocolMode, updatedAt }) => (
          <li key={id} className="relative px-4 py-2.5 hover:bg-sunken">
            <div className="flex items-center gap-3">
              <Link
                to={protocolMode === 'terminal' ? paths.terminal : paths.session}
                params={{ id }}
                data-row
                className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
              >
                <HighlightedText
                  text={titleOf({ prompt, workspaceRoot }, title)}
                  sought={{ q: asked.q, regex: false }}
                />
              </Link>
              <Badge>{stateLabel({ status, activity }).label}</Badge>
            </div>
            <p className="flex gap-2 truncate text-sm text-soft">
              {/* Only whoever searches for an id reads ids. */}
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

const speakers: Readonly<Record<string, string>> = {
  user: 'You said',
  agent: 'The agent said',
  system: 'Signalbox said',
}

/** Messages shown at first, and at most: what the API gives. */
const [few, many] = [50, 100]

/** Messages by whole words, newest first, each with its session. */
export function MessageResults({ asked }: { asked: SearchParams }) {
  const client = useClient()
  const [most, setMost] = useState<number>(few)
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'messages', asked.q, most],
    queryFn: ({ signal }) => client.searchMessages({ query: { q: asked.q, limit: most }, signal }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  const since = sinceOf(asked.age, Date.now())
  const found = data?.messages.filter(({ timestamp }) => since === null || timestamp >= since)
  // Older ones are not wanted if some of these are too old already.
  const isCut = data?.more === true && found?.length === data.messages.length
  return (
    <ResultGroup
      title="Conversations"
      error={error}
      retry={() => void refetch()}
      count={found?.length}
      more={isCut}
      note={
        isCut &&
        (most < many ? (
          <Button onClick={() => setMost(many)}>Show more</Button>
        ) : (
          `Only the newest ${many} are listed. Add words to find older ones.`
        ))
      }
    >
      <ul className="divide-y divide-line">
        {found?.map(({ id, sessionId, sessionTitle, role, content, timestamp, snippet }) => (
          <li key={id} className="relative px-4 py-2.5 hover:bg-sunken">
            <Link
              to={paths.session}
              params={{ id: sessionId }}
              hash={`message-${id}`}
              data-row
              className="flex gap-2 text-sm text-soft after:absolute after:inset-0"
            >
              <span className="min-w-0 truncate font-medium text-text">{clip(listTitle(sessionTitle), 160)}</span>
              <span className="shrink-0">{content.type === 'tool' ? 'The agent did' : (speakers[role] ?? role)}</span>
              <Time at={timestamp} className="ml-auto shrink-0" />
            </Link>
            <p className="line-clamp-3 break-words">
              <HighlightedText text={listTitle(snippet)} sought={{ q: asked.q, regex: false }} />
            </p>
          </li>
        ))}
      </ul>
    </ResultGroup>
  )
}

const mostMatches = 50

/** Terminal output with the lines around it; each result links to that moment of the recording. */
export function TerminalResults({ asked }: { asked: SearchParams }) {
  const client = useClient()
  const { q, regex, age } = asked
  const { data, error, refetch } = useQuery({
    queryKey: ['search', 'terminals', q, String(regex), age],
    queryFn: ({ signal }) => {
      const since = sinceOf(age, Date.now())
      return client.searchTerminals({
        query: { q, regex, contextLines: 2, maxResults: mostMatches, ...(since !== null && { since }) },
        signal,
      })
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const { data: terminals } = useQuery({
    queryKey: ['terminals', 'names'],
    queryFn: () => client.listTerminals({ query: { limit: 500 } }),
  })
  const names = new Map(terminals?.terminals.map((one: TerminalView) => [one.sessionId, nameOf(one)]))
  return (
    <ResultGroup
      title="Terminals"
      error={error}
      retry={() => void refetch()}
      count={data?.matches.length}
      more={data?.truncated === true && data.matches.length > 0}
      note={
        data && (
          <>
            {data.truncated &&
              (data.matches.length < mostMatches
                ? 'Too much to search: narrow it by words or by time. '
                : `Only the newest ${mostMatches} are listed. Narrow it by words or by time. `)}
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
              <span className="min-w-0 truncate font-medium text-text">{names.get(sessionId) ?? 'A terminal'}</span>
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

/** Results of one kind. */
function ResultGroup({
  title,
  error,
  retry,
  count,
  more = false,
  note,
  children,
}: {
  title: string
  error: unknown
  retry: () => void
  /** Undefined while searching. */
  count: number | undefined
  /** There are more than are shown. */
  more?: boolean
  note?: ReactNode
  children: ReactNode
}) {
  return (
    <section aria-label={title} aria-busy={count === undefined && !error}>
      <h2 className="mb-2 flex items-baseline gap-2 font-semibold">
        {title}
        <span role="status" className="text-sm font-normal text-soft">
          {error
            ? ''
            : count === undefined
              ? 'searching…'
              : count === 0
                ? 'no results'
                : more
                  ? `the newest ${count}`
                  : count}
        </span>
      </h2>
      {error ? (
        <Failed error={error} retry={retry} />
      ) : count ? (
        <Card className="overflow-hidden">{children}</Card>
      ) : null}
      {note && <div className="mt-2 text-sm text-soft">{note}</div>}
    </section>
  )
}

type SearchTerms = { q: string; regex: boolean }

/** Text of agents and programs, with matches highlighted. */
const HighlightedText = ({ text, sought }: { text: string; sought: SearchTerms }) => {
  const safe = clip(safeText(text), 1000)
  const pieces = sought.regex ? regexMatches(safe, sought.q) : wordMatches(safe, [sought.q, ...sought.q.split(/\s+/)])
  return pieces.map(({ text: piece, isHit }, index) =>
    isHit ? (
      <mark key={index} className="rounded-sm bg-wait-soft px-0.5 font-semibold text-wait">
        {piece}
      </mark>
    ) : (
      <span key={index}>{piece}</span>
    ),
  )
}
