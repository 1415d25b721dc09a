import { deniedText } from '../../ui/denied-text.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { reposQuery, usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { ChatsPage } from './chats-page.tsx'
import { NewGroup } from './new-group.tsx'
import { groupsQuery } from './queries.ts'

export function GroupsView() {
  const client = useClient()
  const navigate = useNavigate()
  const { administer } = usePermissions()
  const groups = useQuery(groupsQuery(client))
  const { data: repos } = useQuery(reposQuery(client))
  const [creating, setCreating] = useState(false)
  const add = administer && (
    <Button tone="main" icon="plus" onClick={() => setCreating(true)}>
      <span>
        New<span className="max-sm:sr-only"> agent group</span>
      </span>
    </Button>
  )
  const placeOf = ({ repoId, workspaceRoot }: AgentGroup) =>
    repos?.find(({ id }) => id === repoId)?.name ?? workspaceRoot ?? 'its own folder'
  const isEmpty = groups.data?.length === 0
  return (
    <ChatsPage title="Agent groups" actions={groups.data && !isEmpty && add}>
      {groups.isPending && <Loading />}
      {groups.isError && <Failed error={groups.error} retry={() => void groups.refetch()} />}
      {isEmpty && (
        <Empty icon="chat" title="No agent groups">
          <p>An agent group is an agent that people write to in chats.</p>
          {administer ? add : <p>{deniedText('An agent', 'member')}</p>}
        </Empty>
      )}
      {groups.data && !isEmpty && (
        <Rows label="Agent groups">
          {groups.data.map((group) => (
            <Row
              key={group.id}
              title={
                <Link to={paths.agentGroup} params={{ id: group.id }} className="hover:underline">
                  {safeText(group.name)}
                </Link>
              }
              about={safeText(`${group.agent ?? 'default agent'} in ${placeOf(group)}`)}
            />
          ))}
        </Rows>
      )}
      <Dialog open={creating} close={() => setCreating(false)} title="New agent group">
        <NewGroup
          close={() => setCreating(false)}
          done={({ id }) => void navigate({ to: paths.agentGroup, params: { id } })}
        />
      </Dialog>
    </ChatsPage>
  )
}
