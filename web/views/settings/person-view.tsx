import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { UserId } from '../../../src/domain/user/id.ts'
import type { Role, User } from '../../../src/domain/user/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery, usePermissions } from '../../api/queries.ts'
import { isGone } from '../../api/transport.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Identities } from './identities.tsx'
import { SettingsPage } from './settings-page.tsx'

const stale = [['people'], ['names'], ['me']] as const
export function PersonView() {
  const { id } = useParams({ strict: false }) as { id: UserId }
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const person = useQuery({ queryKey: ['people', id], queryFn: () => client.getUser({ params: { id } }) })
  const may = usePermissions()
  // Only owners manage admins and owners.
  const isOver = person.data?.roles.some(({ role, agentGroupId }) => role !== 'machine' && agentGroupId === null)
  const mayChange = isOver ? may.grant : may.administer
  const isMe = me?.user.id === id
  return (
    <SettingsPage title={person.data?.displayName ?? 'A person'}>
      {person.isPending && <Loading />}
      {person.isError &&
        (isGone(person.error) ? (
          <PersonNotFound />
        ) : (
          <Failed error={person.error} retry={() => void person.refetch()} />
        ))}
      {person.data && (
        <>
          {(mayChange || isMe) && <Rename user={person.data} />}
          <Roles user={person.data} mayGrant={may.grant && !isMe} mayRevoke={may.grant || isMe} />
          <Identities user={person.data} mayChange={mayChange} isMe={isMe} />
          {mayChange && !isMe && <Leave user={person.data} mayLogIn={may.grant} />}
        </>
      )}
    </SettingsPage>
  )
}

const PersonNotFound = () => (
  <Empty icon="person" title="Person not found">
    <p>The address may be mistyped.</p>
    <ButtonLink to={paths.people} icon="person">
      All people
    </ButtonLink>
  </Empty>
)

function Rename({ user }: { user: User }) {
  const client = useClient()
  const [name, setName] = useState(user.displayName)
  const rename = useAction(() => client.renameUser({ params: { id: user.id }, body: { displayName: name } }), {
    failed: 'Not renamed',
    done: 'Renamed',
    stale,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate(undefined)
  }
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      </div>
      <Button type="submit" disabled={name.trim() === '' || name === user.displayName || rename.isPending}>
        Rename
      </Button>
    </form>
  )
}

const rights: Readonly<Record<Role, string>> = {
  owner: 'Can do everything, including adding owners and admins',
  admin: 'Manages people, tokens, repos and policy',
  machine: 'Runs programs as the server’s user, and works in any folder',
}
const roles: readonly Role[] = ['owner', 'admin', 'machine']

function Roles({ user, mayGrant, mayRevoke }: { user: User; mayGrant: boolean; mayRevoke: boolean }) {
  const client = useClient()
  const grant = useAction((role: Role) => client.grantRole({ params: { id: user.id }, body: { role } }), {
    failed: 'The role was not granted',
    stale,
  })
  const revoke = useAction((role: Role) => client.revokeRole({ params: { id: user.id, role } }), {
    failed: 'The role was not revoked',
    stale,
  })
  const has = (role: Role) => user.roles.some((one) => one.role === role && one.agentGroupId === null)
  return (
    <>
      <Heading about="Without a role, a person works in registered repos with sandboxed agents.">Roles</Heading>
      <Rows label="Roles">
        {roles.map((role) => (
          <Row
            key={role}
            title={
              <span className="flex items-center gap-2">
                {role} {has(role) && <Badge signal="clear">granted</Badge>}
              </span>
            }
            about={rights[role]}
          >
            {has(role)
              ? mayRevoke && (
                  <ConfirmButton label="Revoke" title={`Revoke ${role}?`} sure="Revoke" run={() => revoke.mutate(role)}>
                    {safeText(user.displayName)} loses these rights immediately, in every open page.
                  </ConfirmButton>
                )
              : mayGrant && <Button onClick={() => grant.mutate(role)}>Grant</Button>}
          </Row>
        ))}
      </Rows>
    </>
  )
}

function Leave({ user, mayLogIn }: { user: User; mayLogIn: boolean }) {
  const client = useClient()
  const navigate = useNavigate()
  const [url, setUrl] = useState<string | null>(null)
  const login = useAction(() => client.createLoginLink({ body: { userId: user.id } }), {
    failed: 'No link was created',
  })
  const remove = useAction(() => client.removeUser({ params: { id: user.id } }), {
    failed: `${user.displayName} is still here`,
    done: `${user.displayName} is removed`,
    stale,
  })
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap gap-2">
        {mayLogIn && (
          <Button onClick={() => login.mutate(undefined, { onSuccess: (made) => setUrl(made.url) })}>
            Login link for {safeText(user.displayName)}
          </Button>
        )}
        <ConfirmButton
          label="Remove"
          title={`Remove ${user.displayName}?`}
          sure="Remove"
          run={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: paths.people }) })}
        >
          Their roles, identities, tokens and logins end immediately. Their actions stay in the log.
        </ConfirmButton>
      </div>
      {url !== null && (
        <>
          <p className="text-sm text-soft">
            Give it only to {safeText(user.displayName)}. It works once, for ten minutes.
          </p>
          <CopyText text={url} label="Copy the link" />
        </>
      )}
    </div>
  )
}
