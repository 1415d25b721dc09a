import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { newId } from '../../lib/id.ts'
import type { Result } from '../../lib/result.ts'
import type { Hosting } from '../hosting.ts'
import type { Requester } from './requester.ts'

/**
 * Ends the process of a session's agent and starts another one, which continues the conversation (C9). `onWake` is its
 * first prompt: it is stored with the restart, and the old process can't take it.
 */
export const restartAgent = (
  hosting: Pick<Hosting, 'sleep'>,
  id: SessionId,
  onWake: string | null,
  { actor, once }: Pick<Requester, 'actor' | 'once'>,
): Promise<Result<void>> =>
  hosting.sleep(
    {
      type: 'session.sleep',
      id,
      why: 'restart',
      onWake: onWake === null ? null : { itemId: newId<QueueItemId>(), text: onWake },
    },
    actor,
    once,
  )
