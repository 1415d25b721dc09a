import type { SessionId } from '../domain/session/id.ts'
import type { Actor, Viewer } from '../domain/user/actor.ts'
import type { LoggedEvent } from './events.ts'

/** The parameters of an open event stream. */
type StreamListener = {
  readonly actor: Actor
  readonly viewer: Viewer
  /** Whether it gets live output of this session. */
  hearsLive(id: SessionId | null): boolean
}

const accessOfPerson = /^(role|member|token|login)\.(granted|revoked|added|removed|ended)|^user\.removed/

const changing: ReadonlySet<string> = new Set([
  'session.undelegated',
  'terminal.revoked',
  'repo.access_set',
  'unreadable',
])

/** Most events change nobody's access, so they need not be compared with each listener. */
export const mayChangeAccess = ({ type }: LoggedEvent): boolean => changing.has(type) || accessOfPerson.test(type)

/** What a listener may see is fixed when it connects. After an event that changes it, it has to reconnect. */
export function changesAccess(event: LoggedEvent, { actor, viewer, hearsLive }: StreamListener): boolean {
  if (!mayChangeAccess(event) || !('userId' in actor)) return false
  switch (event.type) {
    // Live output is not checked again while it is sent.
    case 'session.undelegated':
      return event.data.userId === actor.userId && hearsLive(event.sessionId)
    // A grant also covers the sessions of its lineage, so every agent that gets this terminal's output must reconnect.
    case 'terminal.revoked':
      return actor.kind === 'agent' && hearsLive(event.sessionId)
    case 'repo.access_set':
      return viewer.sees !== 'all'
    // Written by another version: the type is enough to decide.
    case 'unreadable': {
      const { type } = event.written
      if (type === 'repo.access_set') return viewer.sees !== 'all'
      if (/^(session\.undelegated|terminal\.revoked)$/.test(type)) return hearsLive(event.sessionId)
      return accessOfPerson.test(type) && event.ownerUserId === actor.userId
    }
    default:
      return event.ownerUserId === actor.userId
  }
}

/** Tracks the sessions beyond their own that a viewer gets events of. */
export function updateHeardSessions(viewer: Viewer, event: LoggedEvent, heard: Set<SessionId>): void {
  switch (event.type) {
    case 'session.delegated':
      if (viewer.sees === 'own' && event.data.userId === viewer.userId) heard.add(event.data.id)
      return
    case 'session.undelegated':
      if (viewer.sees === 'own' && event.data.userId === viewer.userId) heard.delete(event.data.id)
      return
    case 'session.started':
      if (viewer.sees === 'agent' && viewer.tokenId !== null && event.data.tokenId === viewer.tokenId)
        heard.add(event.data.id)
      return
    default:
      return
  }
}
