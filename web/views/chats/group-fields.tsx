import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useClient } from '../../api/backend.tsx'
import { agentsQuery, reposQuery } from '../../api/queries.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'

type FieldOf = { value: string; set: (value: string) => void }

/** What people call an agent group, and its agent. */
export function NameAndAgent({ name, agent }: { name: FieldOf; agent: FieldOf }) {
  const { data: agents } = useQuery(agentsQuery(useClient()))
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={200}
        hint="What people call it in chats."
        value={name.value}
        onChange={({ target }) => name.set(target.value)}
      />
      <SelectField label="Agent" value={agent.value} onChange={({ target }) => agent.set(target.value)}>
        <option value="">The server’s default</option>
        {agents?.agents.map(({ name: word, title, installed }) => (
          <option key={word} value={word}>
            {title}
            {installed ? '' : ' (not installed)'}
          </option>
        ))}
      </SelectField>
    </>
  )
}

/** Where the sessions of an agent group work; the children are more options. */
export function WorksIn({ value, set, children }: FieldOf & { children?: ReactNode }) {
  const { data: repos } = useQuery(reposQuery(useClient()))
  return (
    <SelectField
      label="Works in"
      hint="Its sessions read and change files there."
      value={value}
      onChange={({ target }) => set(target.value)}
    >
      <option value="">A folder of its own</option>
      {repos?.map(({ id, name: word }) => (
        <option key={id} value={id}>
          {safeText(word)}
        </option>
      ))}
      {children}
    </SelectField>
  )
}
