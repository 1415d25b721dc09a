import { DeniedOrFailed } from '../../ui/denied.tsx'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { ChatsPage } from './chats-page.tsx'
import { DeadLetterRows, lettersQuery } from './dead-letters.tsx'

export function NotSentView() {
  // A message that fails makes no event.
  const letters = useQuery({ ...lettersQuery(useClient()), refetchOnMount: 'always', refetchInterval: 10_000 })
  const own = letters.data?.filter(({ kind, follower }) => kind === 'message' && follower === 'chat')
  return (
    <ChatsPage title="Not sent">
      <p className="text-soft">Messages to chats that could not be sent. They are kept for a retry.</p>
      {letters.isPending && <Loading />}
      {letters.isError && <DeniedOrFailed error={letters.error} needs="admin" retry={() => void letters.refetch()} />}
      {own?.length === 0 && (
        <Empty icon="send" title="Nothing to retry">
          <p>All messages to chats were sent, or are still being sent.</p>
        </Empty>
      )}
      {own && own.length > 0 && <DeadLetterRows letters={own} />}
    </ChatsPage>
  )
}
