import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { agentsQuery, reposQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, inputLook } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { isFiltered, noFilters, statusGroups, type Filters } from './filters.ts'

const patienceMs = 250

type Props = { filters: Filters; change: (next: Filters) => void }

/** Search and filters; folded on a phone. */
export function FilterBar({ filters, change }: Props) {
  const [open, setOpen] = useState(false)
  const chosen = Object.entries(filters).filter(
    ([name, value]) => name !== 'q' && value !== '' && value !== false,
  ).length
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-3 md:flex-row md:items-center md:px-6">
      <div className="flex min-w-0 gap-2 md:w-72 md:shrink-0">
        <SearchBox filters={filters} change={change} />
        <Button className="md:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
          Filters{chosen > 0 && ` (${chosen})`}
        </Button>
      </div>
      <div
        className={`${open ? 'grid' : 'hidden'} grid-cols-2 gap-2 md:grid md:min-w-0 md:flex-1 md:grid-cols-[repeat(4,minmax(0,10rem))_auto_1fr] md:items-center`}
      >
        <Choices filters={filters} change={change} />
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
      {isFiltered(filters) && (
        <Button tone="quiet" className="md:justify-self-start" onClick={() => change(noFilters)}>
          Clear
        </Button>
      )}
    </>
  )
}
