import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import type { TerminalView } from '../../terminal/terminal-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { historyQuery, patternsQuery } from './queries.ts'

/** Earlier answers and what was learned from them; loaded on request. */
export const TerminalHistory = ({ terminal }: { terminal: TerminalView }) =>
  terminal.command === null ? null : (
    <div className="flex min-w-0 flex-col gap-2">
      <Fold title="Past answers">
        <History id={terminal.sessionId} />
      </Fold>
      <Fold title="Your usual answer">
        <Learned program={terminal.command[0]?.split('/').at(-1) ?? ''} />
      </Fold>
    </div>
  )

function Fold({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="rounded-xl border border-line bg-panel px-4"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="min-h-11 content-center text-sm font-medium">{title}</summary>
      {isOpen && (
        <div tabIndex={0} className="max-h-96 overflow-y-auto pb-3 text-sm">
          {children}
        </div>
      )}
    </details>
  )
}

const sources: Readonly<Record<string, string>> = {
  user_typed: 'typed by a person',
  ai_suggested: 'by an agent',
  auto_injected: 'by a rule',
}

function History({ id }: { id: string }) {
  const { data, error } = useQuery(historyQuery(useClient(), id))
  if (error) return <Failed error={error} />
  if (!data) return <Loading />
  if (data.events.length === 0) return <p className="text-soft">No answers yet.</p>
  return (
    <ul className="flex flex-col gap-3">
      {data.events.map(({ id: event, at, promptText, inputText, success, inputSource, secret }) => (
        <li key={event} className="flex flex-col gap-0.5">
          <p className="line-clamp-2 font-mono break-words whitespace-pre-wrap text-soft">
            {clip(safeText(promptText), 300)}
          </p>
          <p className="font-mono break-words">
            → {secret ? 'a secret, which is not stored' : safeText(inputText) || 'Enter'}
          </p>
          <p className="text-soft">
            <Time at={at} />, {sources[inputSource] ?? inputSource}
            {success === false && ' · the program did not accept it'}
          </p>
        </li>
      ))}
    </ul>
  )
}

function Learned({ program }: { program: string }) {
  const { data, error } = useQuery(patternsQuery(useClient(), program))
  if (error) return <Failed error={error} />
  if (!data) return <Loading />
  return (
    <>
      {data.patterns.length === 0 ? (
        <p className="text-soft">Nothing was learned about {safeText(program)} yet.</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {data.patterns.map(({ id, promptText, responses }) => (
            <li key={id} className="flex flex-col gap-1">
              <p className="line-clamp-2 font-mono break-words text-soft">{clip(safeText(promptText), 300)}</p>
              <p className="flex flex-wrap gap-1.5">
                {responses.slice(0, 4).map(({ response, count }) => (
                  <Badge key={response}>
                    {clip(safeText(response), 40) || 'Enter'} · {count}×
                  </Badge>
                ))}
              </p>
            </li>
          ))}
        </ul>
      )}
      <Link to={paths.patterns} className="mt-3 inline-block font-medium text-link hover:underline">
        All patterns and automatic answers
      </Link>
    </>
  )
}
