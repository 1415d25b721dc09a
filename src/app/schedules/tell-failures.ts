import type { MessagingGroupId } from '../../domain/chat/id.ts'
import { isNewsOfFailures } from '../../domain/push/notice.ts'
import { loadSchedule } from '../../domain/schedule/store.ts'
import { getSession } from '../../domain/session/query.ts'
import type { Database } from '../../db/open.ts'
import type { Posts } from '../chat/posts.ts'
import type { Follower } from '../follow.ts'

/** A failed run is said in the chat where its schedule was made. Its creator's devices are told by push. */
export const failuresFollower = ({
  database,
  posts,
}: {
  database: Pick<Database, 'read'>
  posts: Pick<Posts, 'put'>
}): Follower => ({
  name: 'schedule-failures',
  scope: 'single',
  from: 'now',
  types: ['schedule.run_ended'],
  async handle(event, guard) {
    if (event.type !== 'schedule.run_ended') return
    const { id, runId, outcome, failuresInARow: failures, reason } = event.data
    if (outcome !== 'failed' || !isNewsOfFailures(failures)) return
    const place = await placeOf(database, id)
    if (!place) return
    const times = failures > 1 ? ` (${failures} times in a row)` : ''
    const text = `Schedule "${place.name}" failed${times}: ${reason ?? 'no reason was given'}`
    const { chatId, thread, sessionId } = place
    // Posted once per run, however often this is handled.
    await posts.put(
      { chatId, thread, sessionId, subject: { kind: 'schedule', id: runId }, content: { kind: 'text', text } },
      guard,
    )
  },
})

async function placeOf({ read }: Pick<Database, 'read'>, id: Parameters<typeof loadSchedule>[1]) {
  const schedule = await loadSchedule(read, id)
  const origin = schedule?.madeBy ?? schedule?.sessionId ?? null
  const session = origin === null ? undefined : await getSession(read, { sees: 'all' }, origin)
  if (!schedule || !session || session.messagingGroupId === null) return null
  const chatId: MessagingGroupId = session.messagingGroupId
  return { chatId, thread: session.threadId, sessionId: session.id, name: schedule.name }
}
