import type { Follower } from '../../app/follow.ts'
import type { Logger } from '../../lib/log.ts'

/** Writes each event to the server log, at least once and in order: ids and names, never contents. */
export const logFollower = (log: Logger, drained: () => Promise<void>): Follower => ({
  name: 'log',
  scope: 'node',
  from: 'now',
  async handle(event) {
    const { type, id, actor, sessionId, cursor } = event
    const slots = event.type === 'session.status_changed' ? { to: event.data.to, sessionsOpen: event.data.slots } : {}
    log.info({ event: type, id, actor, sessionId, cursor, ...slots }, 'event')
    // An event is handled once its line is written.
    await drained()
  },
})
