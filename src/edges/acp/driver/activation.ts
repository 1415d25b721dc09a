import type { SessionCommand, SessionId } from '../../../domain/session/schema.ts'

/** How the session becomes active. `wake`: it was asleep since then, or is restarted. */
export type Activation = 'session.activate' | 'session.recover' | { readonly wake: string | null }

/** The command that says its new process is ready. */
export const activation = (id: SessionId, how: Activation): SessionCommand =>
  typeof how === 'string' ? { type: how, id, reason: null } : { type: 'session.awake', id, since: how.wake }

/** The command that records that its process ended without being told to; `what` is null if it did so between turns, without an error. */
export const exitOf = (id: SessionId, what: string | null, isLost: boolean): SessionCommand =>
  what === null
    ? { type: 'session.exit', id, what: 'agent_exited', how: 'clean' }
    : { type: 'session.exit', id, what, how: isLost ? 'lost' : 'crashed' }
