import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { GroupMember } from '../../../src/client/contract/chats.ts'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { namesQuery, usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

const stale = [['groups'], ['people']] as const

/** Who may write to an agent group, and who runs it. */
export function GroupMembers({ group, mayFind }: { group: AgentGroup; mayFind: boolean }) {
  const client = useClient()
  const members = useQuery({
    queryKey: ['groups', group.id, 'members'],
    queryFn: async () => (await client.listMembers({ params: { id: group.id } })).members,
  })
  return (
    <>
      <Heading about="Members write to it in chats. Its admins also choose its chats and members.">Members</Heading>
      {members.isError && <Failed error={members.error} retry={() => void members.refetch()} />}
      {members.data?.length === 0 && <p className="text-soft">None, besides owners and admins of the server.</p>}
      {members.data && members.data.length > 0 && (
        <Rows label="Members">
          {members.data.map((member) => (
            <MemberRow key={member.userId} group={group} member={member} />
          ))}
        </Rows>
      )}
      {members.data && <AddMember group={group} members={members.data} everyone={mayFind} />}
    </>
  )
}

function MemberRow({ group, member }: { group: AgentGroup; member: GroupMember }) {
  const client = useClient()
  const { grant: mayGrant } = usePermissions()
  const { userId, displayName, role, addedAt } = member
  const name = safeText(displayName)
  const promote = useAction(
    () => client.grantRole({ params: { id: userId }, body: { role: 'admin', agentGroupId: group.id } }),
    { failed: 'The role was not granted', stale },
  )
  const demote = useAction(
    () => client.revokeRole({ params: { id: userId, role: 'admin' }, query: { agentGroupId: group.id } }),
    { failed: 'The role was not revoked', stale },
  )
  const remove = useAction(() => client.removeMember({ params: { groupId: group.id, userId } }), {
    failed: `${name} is still a member`,
    done: `${name} removed`,
    stale,
  })
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name} {role === 'admin' && <Badge signal="info">admin</Badge>}
        </span>
      }
      about={
        <>
          added <Time at={addedAt} />
        </>
      }
    >
      {mayGrant && role === 'member' && (
        <Button disabled={promote.isPending} onClick={() => promote.mutate(undefined)}>
          Make admin
        </Button>
      )}
      {mayGrant && role === 'admin' && (
        <Button disabled={demote.isPending} onClick={() => demote.mutate(undefined)}>
          Revoke admin
        </Button>
      )}
      {role === 'member' && (
        <ConfirmButton
          label="Remove"
          title={`Remove ${name} from ${group.name}?`}
          sure="Remove"
          run={() => remove.mutate(undefined)}
        >
          {name} can no longer write to this agent.
        </ConfirmButton>
      )}
    </Row>
  )
}

function AddMember({
  group,
  members,
  everyone,
}: {
  group: AgentGroup
  members: readonly GroupMember[]
  everyone: boolean
}) {
  const client = useClient()
  // People who left have names too.
  const { data: users } = useQuery({
    queryKey: ['people'],
    queryFn: async () => (await client.listUsers({})).users,
    enabled: everyone,
  })
  const { data: names } = useQuery({ ...namesQuery(client), enabled: !everyone })
  const [userId, setUserId] = useState('')
  const people = everyone ? users?.filter(({ removedAt }) => removedAt === null) : names?.people
  const others = people?.filter(({ id }) => !members.some((member) => member.userId === id)) ?? []
  const add = useAction(() => client.addMember({ params: { groupId: group.id, userId } }), {
    failed: 'Not added',
    done: 'Added',
    stale,
    whenDone: () => setUserId(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined)
  }
  if (others.length === 0) return null
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField label="Add a member" value={userId} onChange={({ target }) => setUserId(target.value)}>
          <option value="">Choose a person…</option>
          {others.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {safeText(displayName)}
            </option>
          ))}
        </SelectField>
      </div>
      <Button type="submit" disabled={userId === '' || add.isPending}>
        Add
      </Button>
    </form>
  )
}
