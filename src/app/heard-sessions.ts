import type { SessionId } from '../domain/session/id.ts'
import type { Viewer } from '../domain/user/actor.ts'
import type { LoggedEvent } from './events.ts'

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
