import type { App } from '../../app/app.ts'
import type { Follower } from '../../app/follow.ts'
import type { Notices } from '../../app/push/notices.ts'

export type FollowerDeps = {
  app: Pick<App, 'push'>
  notices: Notices
  /** There is something to send. */
  added(): void
}

/**
 * Hears what happened and writes down who is to be told of it, once for each event and device. What it costs to tell
 * them is the sender's business: a push service that hangs holds up neither the log nor anybody else.
 */
export const pushFollower = ({ app, notices, added }: FollowerDeps): Follower => ({
  name: 'push',
  scope: 'single',
  from: 'now',
  async handle(event, guard) {
    const sends = await notices(event)
    if (sends.length === 0) return
    await app.push.add(sends, guard)
    added()
  },
})
