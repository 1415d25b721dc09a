import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { AddChat } from './add-chat.tsx'
import { ChatsPage } from './chats-page.tsx'
import { nameOfChat, nameOfInstance, namesOfListeners } from './names.ts'
import { chatsQuery, groupsQuery, useInstances } from './queries.ts'
import { platformTitle, senderPolicies } from './words.ts'

export function ChatsView() {
  const client = useClient()
  const { administer, grant } = usePermissions()
  const [adding, setAdding] = useState(false)
  const chats = useQuery(chatsQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  const instances = useInstances()
  const placeOf = (channelType: string, instanceId: string | null) => {
    const instance = instances.find(({ id }) => id === instanceId)
    return instance ? nameOfInstance(instance) : platformTitle(channelType)
  }
  return (
    <ChatsPage
      title="Chats"
      actions={
        administer &&
        instances.length > 0 && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add a chat
          </Button>
        )
      }
    >
      {chats.isPending && <Loading />}
      {chats.isError && <Failed error={chats.error} retry={() => void chats.refetch()} />}
      {chats.data?.length === 0 && (
        <Empty icon="chat" title="No chats yet">
          {administer ? (
            <>
              <p>
                {instances.length === 0
                  ? 'Connect Slack or another platform first.'
                  : 'Create an agent group, invite the app to a channel and mention it there. The chat then appears here.'}
              </p>
              {instances.length === 0 && grant && (
                <ButtonLink to={paths.newChatInstance} tone="main" icon="plus">
                  Connect a platform
                </ButtonLink>
              )}
            </>
          ) : (
            <p>Admins of an agent group see the chats it is wired to. You administer none.</p>
          )}
        </Empty>
      )}
      {chats.data && chats.data.length > 0 && (
        <Rows label="Chats">
          {chats.data.map((chat) => (
            <Row
              key={chat.id}
              title={
                <Link
                  to={paths.chat}
                  params={{ id: chat.id }}
                  className="flex flex-wrap items-center gap-2 hover:underline"
                >
                  {nameOfChat(chat)}
                  <Badge>{placeOf(chat.channelType, chat.instanceId)}</Badge>
                  {chat.deniedAt !== null && <Badge signal="stop">denied</Badge>}
                </Link>
              }
              about={
                <>
                  {namesOfListeners(groups, chat.wirings)}
                  {` · unknown people: ${senderPolicies[chat.unknownSenderPolicy].label.toLowerCase()}`}
                </>
              }
            />
          ))}
        </Rows>
      )}
      {adding && <AddChat close={() => setAdding(false)} instances={instances} />}
    </ChatsPage>
  )
}
