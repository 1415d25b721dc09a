import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Card } from '../../ui/card.tsx'
import { Heading } from '../../ui/rows.tsx'
import { groupsQuery } from './queries.ts'

/** From a new account to the first message that an agent answers. */
export function NextSteps({ platform }: { platform: string }) {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  return (
    <Card className="flex flex-col gap-3 p-4">
      <Heading>Next</Heading>
      <ol className="list-decimal space-y-1 pl-5">
        {groups?.length === 0 && (
          <li>
            <To path={paths.agentGroups}>Create an agent group</To>: an agent that people write to.
          </li>
        )}
        {me && (
          <li>
            <To path={paths.person} id={me.user.id}>
              Link your own account in {platform}
            </To>
            , so that what you write there counts as yours.
          </li>
        )}
        <li>Add Signalbox to a chat in {platform}, and mention it there.</li>
        <li>
          Approve the ask in your <To path={paths.inbox}>inbox</To>, so that the agent group listens there.
        </li>
      </ol>
    </Card>
  )
}

const To = ({ path, id, children }: { path: string; id?: string; children: ReactNode }) => (
  <Link to={path} {...(id !== undefined && { params: { id } })} className="text-link underline">
    {children}
  </Link>
)
