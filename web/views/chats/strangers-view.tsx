import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { Stranger } from '../../../src/domain/chat/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { inboxQuery, usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ChatsPage } from './chats-page.tsx'
import { nameOfChat } from './names.ts'
import { chatsQuery } from './queries.ts'
import { platformTitle, reasonText } from './words.ts'

const lookEveryMs = 10_000

export function StrangersView() {
  const client = useClient()
  const { administer } = usePermissions()
  const strangers = useQuery({
    queryKey: ['strangers'],
    queryFn: async () => (await client.listStrangers({})).strangers,
    // They are counted without an event.
    refetchInterval: lookEveryMs,
    refetchOnMount: 'always',
  })
  return (
    <ChatsPage title="Strangers">
      <p className="text-soft">
        Unknown people who wrote in chats. They get no reply. Their messages are kept only while an admin is asked.
      </p>
      {strangers.isPending && <Loading />}
      {strangers.isError && <Failed error={strangers.error} retry={() => void strangers.refetch()} />}
      {strangers.data?.length === 0 && (
        <Empty icon="person" title="No strangers">
          <p>
            {administer ? 'No messages from unknown people.' : 'You see those who wrote in chats that you administer.'}
          </p>
        </Empty>
      )}
      {strangers.data && strangers.data.length > 0 && (
        <Rows label="Strangers">
          {strangers.data.map((stranger) => (
            <StrangerRow
              key={`${stranger.channelType} ${stranger.platformId} ${stranger.identity} ${stranger.agentGroupId}`}
              stranger={stranger}
            />
          ))}
        </Rows>
      )}
    </ChatsPage>
  )
}

function StrangerRow({ stranger }: { stranger: Stranger }) {
  const client = useClient()
  const { data: inbox } = useQuery(inboxQuery(client))
  const { data: chats } = useQuery(chatsQuery(client))
  const { identity, name, channelType, chatId, platformId, reason, messageCount, lastSeen } = stranger
  const chat = chats?.find(({ id }) => id === chatId)
  const ask = inbox?.items.find(
    (item) =>
      item.kind === 'ask' &&
      (item.ask.subject.kind === 'unknown_sender' || item.ask.subject.kind === 'new_chat') &&
      item.ask.subject.identity === identity,
  )
  return (
    <Row
      title={
        <span className="flex flex-wrap items-baseline gap-x-2">
          {safeText(name ?? identity ?? 'Someone')}
          {name !== null && identity !== null && (
            <code className="font-mono text-sm font-normal text-soft">{safeText(identity)}</code>
          )}
        </span>
      }
      about={
        <>
          {reasonText(reason)} · in{' '}
          {chat ? (
            <Link to={paths.chat} params={{ id: chat.id }} className="text-link underline">
              {nameOfChat(chat)}
            </Link>
          ) : (
            safeText(platformId)
          )}{' '}
          on {platformTitle(channelType)} · {messageCount} {messageCount === 1 ? 'message' : 'messages'}, last{' '}
          <Time at={lastSeen} />
        </>
      }
    >
      {ask?.kind === 'ask' && (
        <ButtonLink to={paths.ask} params={{ id: ask.ask.id }} icon="inbox">
          Open the ask
        </ButtonLink>
      )}
    </Row>
  )
}
