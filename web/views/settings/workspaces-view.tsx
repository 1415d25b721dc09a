import { deniedText } from '../../ui/denied-text.ts'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Repo, RepoAccess } from '../../../src/domain/workspace/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { reposQuery, namesQuery, usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { TextField, CheckField } from '../../ui/field.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SettingsPage } from './settings-page.tsx'

export function WorkspacesView() {
  const client = useClient()
  const say = useToast()
  const may = usePermissions()
  const repos = useQuery(reposQuery(client))
  const scan = useAction(() => client.scanRepos({}), { failed: 'Scan failed', stale: [['repos']] })
  const look = () =>
    scan.mutate(undefined, {
      onSuccess: ({ registered, known }) =>
        say({
          title:
            registered.length === 0
              ? `Nothing new; ${known} ${known === 1 ? 'repo was' : 'repos were'} known`
              : `Found ${registered.map(({ name }) => name).join(', ')}`,
        }),
    })
  return (
    <SettingsPage
      title="Workspaces"
      actions={
        may.administer && (
          <Button icon="search" disabled={scan.isPending} onClick={look}>
            {scan.isPending ? 'Scanning…' : 'Find repos'}
          </Button>
        )
      }
    >
      {may.administer && <RegisterRepo />}
      {repos.isPending && <Loading />}
      {repos.isError && <Failed error={repos.error} retry={() => void repos.refetch()} />}
      {repos.data?.length === 0 && (
        <Empty icon="branch" title="No repos yet">
          <p>
            {may.administer
              ? 'Register one above, or let Signalbox find those below the workspace root.'
              : deniedText('Working here', 'repo')}
          </p>
        </Empty>
      )}
      {repos.data && repos.data.length > 0 && (
        <Rows label="Repos">
          {repos.data.map((repo) => (
            <RepoRow key={repo.id} repo={repo} administer={may.administer} />
          ))}
        </Rows>
      )}
    </SettingsPage>
  )
}

function RegisterRepo() {
  const client = useClient()
  const [path, setPath] = useState('')
  const register = useAction(() => client.registerRepo({ body: { path: path.trim() } }), {
    failed: 'The repo was not registered',
    done: 'Registered',
    stale: [['repos']],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    register.mutate(undefined, { onSuccess: () => setPath('') })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-64">
        <TextField
          label="Register a Git repository"
          placeholder="/home/you/project"
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={path.trim() === '' || register.isPending}>
        Register
      </Button>
    </form>
  )
}

function RepoRow({ repo, administer }: { repo: Repo; administer: boolean }) {
  const client = useClient()
  const forget = useAction(() => client.removeRepo({ params: { id: repo.id } }), {
    failed: 'The repo is still registered',
    done: `${repo.name} removed from the list`,
    stale: [['repos']],
  })
  return (
    <Row
      title={safeText(repo.name)}
      about={
        <>
          <code className="font-mono text-sm break-all">{safeText(repo.path)}</code>
          {repo.access && <RepoUsers access={repo.access} />}
        </>
      }
    >
      <ButtonLink to={paths.newSession} search={{ repo: repo.id }} icon="play">
        Start
      </ButtonLink>
      <ButtonLink to={paths.policy} search={{ workspace: repo.path }} icon="flag">
        Policy
      </ButtonLink>
      {repo.access && <RepoAccessButton repo={repo} access={repo.access} />}
      {administer && (
        <ConfirmButton label="Forget" title={`Forget ${repo.name}?`} sure="Forget" run={() => forget.mutate(undefined)}>
          Its files and sessions stay. It is no longer offered for new sessions.
        </ConfirmButton>
      )}
    </Row>
  )
}

/** Who can use a repo, in one line. */
function RepoUsers({ access }: { access: RepoAccess }) {
  const { data: names } = useQuery(namesQuery(useClient()))
  if (access.everyone) return <span className="block">Everyone can use it</span>
  const people = access.users.map((id) => names?.people.find((one) => one.id === id)?.displayName ?? '…')
  const groups =
    access.agentGroups.length === 0
      ? []
      : [access.agentGroups.length === 1 ? 'an agent group' : `${access.agentGroups.length} agent groups`]
  const named = [...people, ...groups].join(', ')
  return <span className="block">{named === '' ? 'Admins only' : `${safeText(named)} and admins`}</span>
}

function RepoAccessButton({ repo, access }: { repo: Repo; access: RepoAccess }) {
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
  const people = useQuery({ queryKey: ['people'], queryFn: async () => (await client.listUsers({})).users })
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
