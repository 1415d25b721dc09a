import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { agentsQuery, reposQuery, usePermissions } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'

export type GroupFields = Pick<AgentGroup, 'name' | 'agent' | 'repoId' | 'workspaceRoot'>

const elsewhere = 'path'

/** The name, agent and workspace of an agent group. */
export function GroupForm({
  group,
  save,
  label,
  close,
  isSaving,
}: {
  group?: AgentGroup
  save: (fields: GroupFields) => void
  label: string
  close?: () => void
  isSaving: boolean
}) {
  const client = useClient()
  const { machine } = usePermissions()
  const { data: agents } = useQuery(agentsQuery(client))
  const { data: repos } = useQuery(reposQuery(client))
  const [name, setName] = useState(group?.name ?? '')
  const [agent, setAgent] = useState(group?.agent ?? '')
  const [place, setPlace] = useState<string>(group?.repoId ?? (group?.workspaceRoot ? elsewhere : ''))
  const [path, setPath] = useState(group?.workspaceRoot ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({
      name: name.trim(),
      agent: agent || null,
      repoId: repos?.find(({ id }) => id === place)?.id ?? null,
      workspaceRoot: place === elsewhere ? path.trim() || null : null,
    })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        required
        maxLength={200}
        hint="What people call it in chats."
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField label="Agent" value={agent} onChange={({ target }) => setAgent(target.value)}>
        <option value="">The server’s default</option>
        {agents?.agents.map(({ name: word, title, installed }) => (
          <option key={word} value={word}>
            {title}
            {installed ? '' : ' (not installed)'}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Works in"
        hint="Its sessions read and change files there."
        value={place}
        onChange={({ target }) => setPlace(target.value)}
      >
        <option value="">A folder of its own</option>
        {repos?.map(({ id, name: word }) => (
          <option key={id} value={id}>
            {safeText(word)}
          </option>
        ))}
        {(machine || place === elsewhere) && <option value={elsewhere}>Another folder…</option>}
      </SelectField>
      {place === elsewhere && (
        <TextField
          label="Folder"
          required
          pattern="/.*"
          placeholder="/home/you/project"
          hint="An absolute path. People who write to it need the machine role."
          value={path}
          onChange={({ target }) => setPath(target.value)}
        />
      )}
      <DialogActions>
        {close && <Button onClick={close}>Cancel</Button>}
        <Button tone="main" type="submit" disabled={name.trim() === '' || isSaving}>
          {label}
        </Button>
      </DialogActions>
    </form>
  )
}
