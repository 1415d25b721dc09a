import type { App } from '../../app/app.ts'
import type { Follower } from '../../app/follow.ts'
import type { FindRecipients } from '../../app/recipients/recipients.ts'

/**
 * Hears what happened and writes down who is to be told of it, once for each event and device. What it costs to tell
 * them is the sender's business: a push service that hangs holds up neither the log nor anybody else.
 */
export const pushFollower = (app: Pick<App, 'outbox'>, recipientsOf: FindRecipients): Follower => ({
  name: 'push',
  scope: 'single',
  from: 'now',
  handle: async (event, guard) => app.outbox.add(await recipientsOf(event), guard),
})
