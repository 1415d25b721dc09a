import { DeniedOrFailed } from '../../ui/denied.tsx'
import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ChatsPage } from './chats-page.tsx'
import { nameOfInstance } from './names.ts'
import { instancesQuery } from './queries.ts'
import { platformTitle, states } from './words.ts'

export const InstanceBadge = ({ state }: Pick<ChatInstance, 'state'>) => (
  <Badge signal={states[state].signal}>{states[state].label}</Badge>
)

export function InstancesView() {
  const client = useClient()
  const { grant } = usePermissions()
  const instances = useQuery(instancesQuery(client))
  const add = (
    <ButtonLink to={paths.newChatInstance} tone="main" icon="plus">
      <span>
        Add<span className="max-sm:sr-only"> an account</span>
      </span>
    </ButtonLink>
  )
  const isEmpty = instances.data?.length === 0
  return (
    <ChatsPage title="Chat accounts" actions={grant && instances.data && !isEmpty && add}>
      {instances.isPending && <Loading />}
      {instances.isError && (
        <DeniedOrFailed error={instances.error} needs="admin" retry={() => void instances.refetch()} />
      )}
      {isEmpty && (
        <Empty icon="chat" title="No chat accounts">
          <p>Signalbox needs an account on a chat platform. Agents talk to people through it.</p>
          {grant ? add : <p>Ask an owner to add one.</p>}
        </Empty>
      )}
      {instances.data && !isEmpty && (
        <Rows label="Chat accounts">
          {instances.data.map((instance) => (
            <Row
              key={instance.id}
              title={
                <Link
                  to={paths.chatInstance}
                  params={{ id: instance.id }}
                  className="flex flex-wrap items-center gap-2 hover:underline"
                >
                  {nameOfInstance(instance)} <InstanceBadge state={instance.state} />
                </Link>
              }
              about={
                <>
                  {platformTitle(instance.platform)}
                  {instance.stateAt !== null && (
                    <>
                      {' · '}
                      <Time at={instance.stateAt} />
                    </>
                  )}
                  {instance.stateError !== null && (
                    <span className="block text-stop">{safeText(instance.stateError)}</span>
                  )}
                </>
              }
            />
          ))}
        </Rows>
      )}
    </ChatsPage>
  )
}
