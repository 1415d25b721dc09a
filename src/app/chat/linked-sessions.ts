import type { App } from '../app.ts'
import type { Follower } from '../follow.ts'
import { seeing } from './seeing.ts'

/**
 * The owner of a session never changes (R2). If a chat account started some before it was linked, the person who linked it has
 * them delegated: it is the same person, and nobody else can act for the one that was made for the account.
 */
export const linkedSessions = (app: Pick<App, 'chat' | 'dispatch'>): Follower => ({
  name: 'linked-sessions',
  scope: 'single',
  from: 'now',
  types: ['identity.linked'],
  async handle(event, guard) {
    if (event.type !== 'identity.linked' || event.data.from === null) return
    const { userId, identity, from } = event.data
    for (const id of await app.chat.sessionsOfAccount(from, identity)) {
      const done = await app.dispatch({ type: 'session.delegate', id, userId }, seeing.actor, { guard })
      if (!done.ok && done.fault.kind === 'unavailable') throw new Error(done.fault.message)
    }
  },
})
