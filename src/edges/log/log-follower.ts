import type { Follower } from '../../app/follow.ts'
import type { Logger } from '../../lib/log.ts'

/** Writes what happened to the server's own log: ids and names, never contents. At least once, in order. */
export const logFollower = (log: Logger, drained: () => Promise<void>): Follower => ({
  name: 'log',
  scope: 'node',
  from: 'now',
  async handle(event) {
    const { type, id, actor, sessionId, cursor } = event
    const slots = event.type === 'session.status_changed' ? { to: event.data.to, sessionsOpen: event.data.slots } : {}
    log.info({ event: type, id, actor, sessionId, cursor, ...slots }, 'event')
    // Only what was really written counts as logged.
    await drained()
  },
})
