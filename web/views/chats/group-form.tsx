import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { reposQuery, usePermissions } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { NameAndAgent, WorksIn } from './group-fields.tsx'

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
      <NameAndAgent name={{ value: name, set: setName }} agent={{ value: agent, set: setAgent }} />
      <WorksIn value={place} set={setPlace}>
        {(machine || place === elsewhere) && <option value={elsewhere}>Another folder…</option>}
      </WorksIn>
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
