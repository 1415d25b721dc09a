import { deniedText } from '../../ui/denied-text.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { WebChat } from '../../../src/client/contract/web-chats.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Conversation } from './conversation.tsx'
import { webChatsQuery } from './queries.ts'

/** Agents to talk to; on a desktop with the conversation beside them. */
export function WebChatView() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const chats = useQuery(webChatsQuery(useClient()))
  const { administer } = usePermissions()
  const chosen = chats.data?.find(({ agentGroupId }) => agentGroupId === id)
  const isGone = id !== undefined && chats.data !== undefined && !chosen
  return (
    <div className="flex h-[calc(100dvh-4rem-env(safe-area-inset-bottom))] flex-col md:h-dvh">
      <PageHead
        title={chosen ? chosen.name : 'Chat'}
        {...(id !== undefined && { back: paths.webChats })}
        about={chosen?.working ? 'Working…' : undefined}
      >
        {chosen && chosen.sessionId !== null && (
          <ButtonLink
            to={paths.session}
            params={{ id: chosen.sessionId }}
            icon="sessions"
            aria-label="Open the session"
          >
            <span className="hidden sm:inline">Session</span>
          </ButtonLink>
        )}
      </PageHead>
      {chats.isPending && <Loading />}
      {chats.isError && <Failed error={chats.error} retry={() => void chats.refetch()} />}
      {chats.data?.length === 0 && !isGone && (
        <Empty icon="chat" title="No agents to talk to">
          <p>
            {administer ? 'Create an agent group first: an agent that people write to.' : deniedText('Chat', 'member')}
          </p>
          {administer && (
            <ButtonLink to={paths.agentGroups} icon="plus">
              Agent groups
            </ButtonLink>
          )}
        </Empty>
      )}
      {isGone && (
        <Empty icon="chat" title="Agent not found">
          <p>It was removed, or you are not a member of its agent group.</p>
          <ButtonLink to={paths.webChats} icon="chat">
            All agents
          </ButtonLink>
        </Empty>
      )}
      {chats.data && chats.data.length > 0 && !isGone && (
        <div className="flex min-h-0 flex-1">
          <nav
            aria-label="Agents"
            className={`w-full flex-col overflow-y-auto lg:flex lg:w-72 lg:shrink-0 lg:border-r lg:border-line ${id === undefined ? 'flex' : 'hidden'}`}
          >
            {chats.data.map((chat) => (
              <ChatLink key={chat.agentGroupId} chat={chat} isOpen={chat.agentGroupId === id} />
            ))}
          </nav>
          {chosen ? (
            <Conversation key={chosen.agentGroupId} chat={chosen} />
          ) : (
            <p className="hidden flex-1 items-center justify-center text-soft lg:flex">Choose an agent to talk to.</p>
          )}
        </div>
      )}
    </div>
  )
}

const ChatLink = ({ chat, isOpen }: { chat: WebChat; isOpen: boolean }) => (
  <Link
    to={paths.webChat}
    params={{ id: chat.agentGroupId }}
    aria-current={isOpen ? 'page' : undefined}
    className={`flex flex-col gap-0.5 border-b border-line px-4 py-3 ${isOpen ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
  >
    <span className="flex items-baseline justify-between gap-2">
      <span className="truncate font-medium">{safeText(chat.name)}</span>
      {chat.last && <Time at={chat.last.at} className="shrink-0 text-xs text-soft" />}
    </span>
    <span className="truncate text-sm text-soft">
      {chat.last ? `${chat.last.from === 'you' ? 'You: ' : ''}${summary(chat.last)}` : 'No messages yet'}
    </span>
  </Link>
)

const summary = ({ text, card, file }: NonNullable<WebChat['last']>): string =>
  safeText(card?.title ?? text ?? file ?? '')
