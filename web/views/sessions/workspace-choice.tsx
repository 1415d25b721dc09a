import { deniedText } from '../../ui/denied-text.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { reposQuery, usePermissions } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { errorText } from '../../ui/states.tsx'
import type { StartChoices } from './start-choices.ts'

type ChangeChoices = (change: Partial<StartChoices>) => void

/** Where the agent works: a registered repo, a new one, or any folder. */
export function WorkspaceChoice({ choices, choose }: { choices: StartChoices; choose: ChangeChoices }) {
  const { data: repos } = useQuery(reposQuery(useClient()))
  const may = usePermissions()
  const gone = choices.place.startsWith('repo:') && repos && !repos.some(({ id }) => `repo:${id}` === choices.place)
  const place = gone ? '' : choices.place
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label="Where"
        value={place}
        onChange={({ target }) => choose({ place: target.value })}
        hint={place === '' && may.machine ? 'The one set in config.toml.' : undefined}
        error={!may.machine && repos?.length === 0 ? deniedText('Starting a session', 'repo') : null}
      >
        {repos?.map(({ id, name, path }) => (
          <option key={id} value={`repo:${id}`}>
            {safeText(name)} ({safeText(path)})
          </option>
        ))}
        {may.administer && <option value="new">Register another repo…</option>}
        {may.machine && <option value="path">Another folder…</option>}
        {may.machine ? (
          <option value="">Default workspace</option>
        ) : (
          place === '' && <option value="">Choose a repo</option>
        )}
      </SelectField>
      {place === 'new' && <NewRepo choose={choose} />}
      <Neighbours
        path={place === 'path' ? choices.path.trim() : (repos?.find(({ id }) => `repo:${id}` === place)?.path ?? '')}
        choices={choices}
        choose={choose}
      />
      {place === 'path' && (
        <TextField
          label="Folder"
          value={choices.path}
          onChange={({ target }) => choose({ path: target.value })}
          placeholder="/home/me/project"
          hint="An absolute path on the server."
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono"
        />
      )}
    </div>
  )
}

type NeighboursProps = { path: string; choices: StartChoices; choose: ChangeChoices }

/** Two agents in one directory overwrite each other: a worktree is offered. */
function Neighbours({ path, choices, choose }: NeighboursProps) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['sessions', 'neighbours'],
    queryFn: () =>
      client.listSessions({
        query: { status: 'created,active,paused,interrupted', protocol: 'mcp,acp', limit: 100 },
      }),
  })
  const count = path === '' ? 0 : (data?.sessions.filter(({ workspaceRoot }) => workspaceRoot === path).length ?? 0)
  if (count === 0 || choices.worktree) return null
  return (
    <div role="note" className="flex flex-wrap items-center gap-2 text-sm text-wait">
      <span>{count === 1 ? 'Another agent works there.' : `${count} other agents work there.`}</span>
      <Button onClick={() => choose({ worktree: true })}>Use a separate worktree</Button>
    </div>
  )
}

function NewRepo({ choose }: { choose: ChangeChoices }) {
  const client = useClient()
  const queries = useQueryClient()
  const [path, setPath] = useState('')
  const register = useMutation({
    mutationFn: () => client.registerRepo({ body: { path: path.trim() } }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['repos'] })
      choose({ place: `repo:${id}` })
    },
  })
  const { message, hint } = register.isError ? errorText(register.error) : { message: '', hint: null }
  return (
    <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <TextField
          label="Repo path"
          value={path}
          onChange={({ target }) => setPath(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            register.mutate()
          }}
          placeholder="/home/me/project"
          error={register.isError ? `${message} ${hint ?? ''}` : null}
          hint="A Git repository inside the workspace root."
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono"
        />
      </div>
      <Button
        className="sm:mt-6.5"
        disabled={path.trim() === '' || register.isPending}
        onClick={() => register.mutate()}
      >
        Register
      </Button>
    </div>
  )
}
