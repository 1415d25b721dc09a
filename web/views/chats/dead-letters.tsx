import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { deadReason, destinationText } from './dead-letter-text.ts'
import { chatsQuery, useInstances } from './queries.ts'

export const lettersQuery = (client: ReturnType<typeof useClient>) => ({
  queryKey: ['system', 'letters'],
  queryFn: async () => (await client.listDeadLetters({})).deadLetters,
})
type Letter = Awaited<ReturnType<ReturnType<typeof useClient>['listDeadLetters']>>['deadLetters'][number]

/** Events that were not handled and messages that were not sent, each with a retry. */
export function DeadLetterRows({ letters }: { letters: readonly Letter[] }) {
  const client = useClient()
  const { data: chats } = useQuery(chatsQuery(client))
  const instances = useInstances()
  const retry = useAction((id: string) => client.retryDeadLetter({ params: { id } }), {
    failed: 'Failed again',
    done: 'Retried',
    stale: [['system', 'letters']],
  })
  return (
    <Rows label="Dead letters">
      {letters.map((letter) => (
        <Row
          key={letter.id}
          title={
            letter.kind === 'event'
              ? `Event for ${safeText(letter.follower)}`
              : `Message to ${destinationText(letter, chats ?? [], instances)}`
          }
          about={
            <>
              {safeText(deadReason(letter.error))} · {letter.attempts} {letter.attempts === 1 ? 'try' : 'tries'} ·{' '}
              <Time at={letter.at} />
            </>
          }
        >
          <Button icon="refresh" disabled={retry.isPending} onClick={() => retry.mutate(letter.id)}>
            Try again
          </Button>
        </Row>
      ))}
    </Rows>
  )
}
