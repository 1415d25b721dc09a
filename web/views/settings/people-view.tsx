import { DeniedOrFailed } from '../../ui/denied.tsx'
import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Loading } from '../../ui/states.tsx'
import { SettingsPage } from './settings-page.tsx'

export function PeopleView() {
  const client = useClient()
  const [adding, setAdding] = useState(false)
  const { data: me } = useQuery(meQuery(client))
  const people = useQuery({ queryKey: ['people'], queryFn: async () => (await client.listUsers({})).users })
  const present = people.data?.filter(({ removedAt }) => removedAt === null)
  return (
    <SettingsPage
      title="People"
      actions={
        present && (
          <Button tone="main" icon="plus" onClick={() => setAdding(true)}>
            Add a person
          </Button>
        )
      }
    >
      {people.isPending && <Loading />}
      {people.isError && <DeniedOrFailed error={people.error} needs="admin" retry={() => void people.refetch()} />}
      {present && (
        <Rows label="People">
          {present.map(({ id, displayName, roles, identities }) => (
            <Row
              key={id}
              title={
                <Link to={paths.person} params={{ id }} className="flex flex-wrap items-center gap-2 hover:underline">
                  {safeText(displayName)}
                  {id === me?.user.id && <Badge signal="info">you</Badge>}
                  {roles.map(({ role, agentGroupId }) => (
                    <Badge key={`${role} ${agentGroupId}`} signal={role === 'owner' ? 'wait' : 'plain'}>
                      {role}
                    </Badge>
                  ))}
                </Link>
              }
              about={safeText(identities.map(({ identity }) => identity).join(', ')) || 'no other identities'}
            />
          ))}
        </Rows>
      )}
      <AddPerson open={adding} close={() => setAdding(false)} />
    </SettingsPage>
  )
}

function AddPerson({ open, close }: { open: boolean; close: () => void }) {
  const client = useClient()
  const [name, setName] = useState('')
  const [identity, setIdentity] = useState('')
  const add = useAction(
    () =>
      client.createUser({ body: { displayName: name, identities: identity.trim() === '' ? [] : [identity.trim()] } }),
    { failed: 'Person not added', done: `${name} added`, stale: [['people'], ['names']] },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined, {
      onSuccess() {
        setName('')
        setIdentity('')
        close()
      },
    })
  }
  return (
    <Dialog open={open} close={close} title="Add a person">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField label="Name" required maxLength={200} value={name} onChange={(e) => setName(e.target.value)} />
        <TextField
          label="Identity (optional)"
          hint="slack:U…, email:ann@example.org, tg:…, discord:…, phone:…"
          value={identity}
          onChange={(e) => setIdentity(e.target.value)}
        />
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button tone="main" type="submit" disabled={name.trim() === '' || add.isPending}>
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
