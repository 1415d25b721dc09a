import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import {
  ages,
  searchParamsOf,
  searchScopes,
  searchOf,
  type Age,
  type SearchParams,
  type SearchScope,
} from './search-params.ts'
import { MessageResults, SessionResults, TerminalResults } from './results.tsx'

const placeNames: Readonly<Record<SearchScope, string>> = {
  all: 'All',
  sessions: 'Sessions',
  messages: 'Conversations',
  terminals: 'Terminals',
}
const ageNames: Readonly<Record<Age, string>> = {
  any: 'any time',
  hour: 'the last hour',
  day: 'the last day',
  week: 'the last week',
  month: 'the last month',
}
const patienceMs = 300

/** Search over messages, terminal output and sessions. */
export function SearchView() {
  const asked = searchParamsOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const ask = (part: Partial<SearchParams>) =>
    void navigate({ to: paths.search, search: searchOf({ ...asked, ...part }), replace: true, resetScroll: false })
  return (
    <>
      <PageHead title="Search">
        <ButtonLink to={paths.catchUp} icon="clock">
          Catch up
        </ButtonLink>
      </PageHead>
      <PageBody>
        <search className="flex flex-col gap-3">
          <QueryField key={asked.q === '' ? 'empty' : 'words'} q={asked.q} ask={(q) => ask({ q })} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <nav aria-label="Where" className="flex flex-wrap rounded-lg border border-line bg-panel p-0.5">
              {searchScopes.map((place) => (
                <Link
                  key={place}
                  to={paths.search}
                  search={searchOf({ ...asked, in: place })}
                  replace
                  aria-current={place === asked.in ? 'true' : undefined}
                  className={`inline-flex min-h-10 items-center rounded-md px-2.5 text-sm font-medium pointer-fine:min-h-8 ${place === asked.in ? 'bg-accent-soft text-accent' : 'text-soft hover:text-text'}`}
                >
                  {placeNames[place]}
                </Link>
              ))}
            </nav>
            <div className="w-40">
              <SelectField
                label="When"
                hideLabel
                value={asked.age}
                onChange={({ target }) => ask({ age: ages.find((age) => age === target.value) ?? 'any' })}
              >
                {ages.map((age) => (
                  <option key={age} value={age}>
                    {ageNames[age]}
                  </option>
                ))}
              </SelectField>
            </div>
            {(asked.in === 'terminals' || asked.in === 'all') && (
              <CheckField
                label="Regular expression"
                checked={asked.regex}
                onChange={({ target }) => ask({ regex: target.checked })}
              />
            )}
          </div>
        </search>
        <div className="mt-5 flex flex-col gap-6">
          <SearchResults asked={asked} />
        </div>
      </PageBody>
    </>
  )
}

/** Searches a moment after typing, or at once on Enter, and updates the address. */
function QueryField({ q, ask }: { q: string; ask: (q: string) => void }) {
  const [text, setText] = useState(q)
  const field = useRef<HTMLInputElement>(null)
  const send = useEffectEvent(() => {
    if (text.trim() !== q) ask(text.trim())
  })
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const timer = setTimeout(() => send(), patienceMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== q) ask(text.trim())
      }}
    >
      <TextField
        ref={field}
        label="Search sessions, conversations and terminals"
        hideLabel
        type="search"
        placeholder="Words, or a session id"
        value={text}
        onChange={({ target }) => setText(target.value)}
        autoComplete="off"
        maxLength={500}
      />
    </form>
  )
}

function SearchResults({ asked }: { asked: SearchParams }) {
  if (asked.q.trim().length < 2)
    return (
      <Empty icon="search" title="Search">
        <p>What agents said, what programs printed, and sessions by title, prompt, agent, repo, folder or id.</p>
      </Empty>
    )
  const shows = (place: SearchScope) => asked.in === 'all' || asked.in === place
  const words = !asked.regex
  return (
    <>
      {words && shows('sessions') && <SessionResults asked={asked} />}
      {words && shows('messages') && <MessageResults asked={asked} />}
      {shows('terminals') && <TerminalResults asked={asked} />}
      {!words && asked.in === 'all' && (
        <p className="text-sm text-soft">Regular expressions search only terminal output.</p>
      )}
    </>
  )
}
