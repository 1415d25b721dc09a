import { deniedText } from '../../ui/denied-text.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { useBackend } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { askedBy, type TerminalView, commandOf, nameOf, placeOf, stateBadge } from '../../terminal/terminal-text.ts'
import { terminalsQuery, type TerminalFilter } from './queries.ts'
import { useRowKeys } from './use-row-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'

const filters: readonly [TerminalFilter, string][] = [
  ['active', 'Active'],
  ['stopped', 'Ended'],
  ['all', 'All'],
]
export function TerminalsView() {
  const { show } = useSearch({ strict: false }) as { show?: unknown }
  const shown = filters.find(([name]) => name === show)?.[0] ?? 'active'
  const { client, feed } = useBackend()
  const { machine } = usePermissions()
  const { data, error, refetch, ...pages } = useInfiniteQuery(terminalsQuery(client, shown))
  const terminals = data?.pages.flatMap((page) => page.terminals)
  // Terminal prompts are live messages, not events; they make the list stale.
  useEffect(() => feed.listen('terminals', () => undefined), [feed])
  return (
    <>
      <PageHead title="Terminals">
        <ButtonLink to={paths.newTerminal} tone="main" icon="plus">
          {machine ? 'New terminal' : 'Follow a log'}
        </ButtonLink>
      </PageHead>
      <PageBody>
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <Filters shown={shown} />
          <SearchBox />
        </div>
        {error ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : terminals === undefined ? (
          <Loading />
        ) : terminals.length === 0 ? (
          <Nothing shown={shown} />
        ) : (
          <Terminals
            terminals={terminals}
            more={
              pages.hasNextPage && (
                <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                  Show more
                </Button>
              )
            }
          />
        )}
      </PageBody>
    </>
  )
}

const Filters = ({ shown }: { shown: TerminalFilter }) => (
  <nav aria-label="Which terminals" className="flex rounded-lg border border-line bg-panel p-0.5">
    {filters.map(([name, label]) => (
      <Link
        key={name}
        to={paths.terminals}
        search={name === 'active' ? {} : { show: name }}
        aria-current={name === shown ? 'true' : undefined}
        className={`inline-flex min-h-10 items-center rounded-md px-3 text-sm font-medium pointer-fine:min-h-8 ${name === shown ? 'bg-accent-soft text-accent' : 'text-soft hover:text-text'}`}
      >
        {label}
      </Link>
    ))}
  </nav>
)

function SearchBox() {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  return (
    <form
      role="search"
      className="basis-full sm:flex-1 sm:basis-40"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void navigate({ to: paths.search, search: { q: text, in: 'terminals' } })
      }}
    >
      <TextField
        label="Search output"
        hideLabel
        type="search"
        placeholder="Search output"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  )
}

/** Waiting terminals first, dangerous ones before others; then newest first. */
const rank = (terminal: TerminalView): number => {
  const asked = askedBy(terminal)
  return asked === null ? 2 : asked.isDangerous ? 0 : asked.promptType === 'command' ? 2 : 1
}

function Terminals({ terminals, more }: { terminals: readonly TerminalView[]; more: ReactNode }) {
  const list = useRowKeys<HTMLUListElement>()
  const sorted = terminals.toSorted((a, b) => rank(a) - rank(b))
  return (
    <Card className="overflow-hidden">
      <ul ref={list} className="divide-y divide-line">
        {sorted.map((terminal) => (
          <TerminalRow key={terminal.sessionId} terminal={terminal} />
        ))}
      </ul>
      {more && <div className="border-t border-line p-3 text-center">{more}</div>}
    </Card>
  )
}

const Code = ({ children }: { children: ReactNode }) => (
  <code className="rounded-lg bg-sunken px-3 py-2 font-mono text-sm text-text">{children}</code>
)

function Nothing({ shown }: { shown: TerminalFilter }) {
  const { machine } = usePermissions()
  if (shown === 'stopped')
    return (
      <Empty icon="terminal" title="No terminal has ended yet">
        <p>Ended terminals are listed here with their recordings.</p>
      </Empty>
    )
  if (!machine)
    return (
      <Empty icon="terminal" title="No terminals">
        <p>Terminals that are delegated to you, and logs that you follow, are shown here.</p>
        <p>{deniedText('Running programs as the server’s user', 'machine')}</p>
      </Empty>
    )
  return (
    <Empty icon="terminal" title="No terminals running">
      <p>Run any program in a terminal to follow it here:</p>
      <Code>signalbox run -- npm init</Code>
      <ButtonLink to={paths.newTerminal} icon="plus">
        Start one here
      </ButtonLink>
    </Empty>
  )
}

/** One terminal of the list. */
function TerminalRow({ terminal }: { terminal: TerminalView }) {
  const asked = askedBy(terminal)
  const { words, signal } = stateBadge(terminal)
  const place = placeOf(terminal)
  return (
    <li className="relative flex flex-col gap-1 px-4 py-3 hover:bg-sunken">
      <div className="flex items-start gap-3">
        <Link
          to={paths.terminal}
          params={{ id: terminal.sessionId }}
          data-row
          className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
        >
          {nameOf(terminal)}
        </Link>
        <span className="flex shrink-0 gap-1.5">
          {asked?.isDangerous && <Badge signal="stop">dangerous</Badge>}
          <Badge signal={signal}>{words}</Badge>
        </span>
      </div>
      {asked && (
        <p className="line-clamp-2 border-l-2 border-wait pl-2.5 font-mono text-sm break-words whitespace-pre-wrap">
          {clip(safeText(asked.promptText), 300)}
        </p>
      )}
      {asked?.isDangerous && <p className="text-sm text-stop">{safeText(asked.dangerReason ?? '')}</p>}
      <p className="flex min-w-0 gap-x-2 text-sm text-soft">
        {terminal.name !== null && <span className="min-w-0 truncate font-mono">{clip(commandOf(terminal), 120)}</span>}
        {place !== null && <span className="hidden max-w-[45%] shrink-0 truncate sm:inline">{place}</span>}
        <span className="ml-auto shrink-0">
          started <Time at={terminal.startTime} />
        </span>
      </p>
    </li>
  )
}
