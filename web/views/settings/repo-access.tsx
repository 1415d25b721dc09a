import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Repo, RepoAccess } from '../../../src/domain/workspace/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { namesQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'

/** Who can use a repo, in one line. */
export function RepoUsers({ access }: { access: RepoAccess }) {
  const { data: names } = useQuery(namesQuery(useClient()))
  if (access.everyone) return <span className="block">Everyone can use it</span>
  const people = access.users.map((id) => names?.people.find((one) => one.id === id)?.displayName ?? '…')
  const groups = access.agentGroups.map((id) => `group ${id.slice(0, 8)}`)
  const named = [...people, ...groups].join(', ')
  return <span className="block">{named === '' ? 'Admins only' : `${safeText(named)} and admins`}</span>
}

export function RepoAccessButton({ repo, access }: { repo: Repo; access: RepoAccess }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon="person" onClick={() => setOpen(true)}>
        Access
      </Button>
      <Dialog open={open} close={() => setOpen(false)} title={`Who can use ${repo.name}?`}>
        {open && <AccessForm repo={repo} access={access} close={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function AccessForm({ repo, access, close }: { repo: Repo; access: RepoAccess; close: () => void }) {
  const client = useClient()
  const [everyone, setEveryone] = useState(access.everyone)
  const [users, setUsers] = useState<readonly string[]>(access.users)
  const people = useQuery({ queryKey: ['people'], queryFn: () => client.listUsers({}) })
  const agentGroups = everyone ? [] : access.agentGroups
  const save = useAction(
    () =>
      client.setRepoAccess({
        params: { id: repo.id },
        body: { everyone, users: everyone ? [] : [...users], agentGroups },
      }),
    { failed: 'Access not changed', done: 'Access saved', stale: [['repos']] },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: close })
  }
  const toggle = (id: string) =>
    setUsers((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]))
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <CheckField label="Everyone" checked={everyone} onChange={({ target }) => setEveryone(target.checked)} />
      {!everyone && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2 text-sm text-soft">
            Admins, owners and people with the machine role can always use it. Others do not see it.
          </legend>
          {people.isPending && <Loading />}
          {people.isError && <Failed error={people.error} retry={() => void people.refetch()} />}
          {people.data
            ?.filter(({ removedAt }) => removedAt === null)
            .map(({ id, displayName }) => (
              <CheckField
                key={id}
                label={safeText(displayName)}
                checked={users.includes(id)}
                onChange={() => toggle(id)}
              />
            ))}
          {access.agentGroups.length > 0 && (
            <p className="text-sm text-soft">
              {access.agentGroups.length === 1 ? '1 agent group' : `${access.agentGroups.length} agent groups`} as set
              by <code className="font-mono">signalbox repos access</code>
            </p>
          )}
        </fieldset>
      )}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button tone="main" type="submit" disabled={save.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
