import type { SessionId } from '../session/id.ts'
import type { Viewer } from '../user/actor.ts'
import type { Event, Visibility } from './schema.ts'

export type Heard = Pick<Event, 'type' | 'stream' | 'sessionId' | 'ownerUserId' | 'agentGroupId' | 'data'> & {
  visibility: Visibility
}

/** The same rule as the log's own query, for events that are handed on as they come. */
export function hears(
  viewer: Viewer,
  event: Heard,
  extraSessions: ReadonlySet<SessionId>,
  hiddenRepos: ReadonlySet<string> = new Set(),
): boolean {
  switch (viewer.sees) {
    case 'all':
      return true
    case 'nothing':
      return false
    case 'agent':
      return event.sessionId !== null && extraSessions.has(event.sessionId)
    case 'own':
      if (event.visibility === 'public') return !event.type.startsWith('policy.') && !hiddenRepos.has(event.stream)
      if (event.type.startsWith('ask.') && JSON.stringify(event.data).includes(`"${viewer.userId}"`)) return true
      if (event.visibility !== 'owner') return false
      return (
        event.ownerUserId === viewer.userId ||
        (event.agentGroupId !== null && viewer.groups.includes(event.agentGroupId)) ||
        (event.sessionId !== null && extraSessions.has(event.sessionId))
      )
    default:
      return viewer satisfies never
  }
}

/** Sessions come and go among those someone hears of beyond their own. */
export function updateExtraSessions(viewer: Viewer, event: Heard, extraSessions: Set<SessionId>): void {
  if (event.sessionId === null) return
  if (viewer.sees === 'own' && event.data['userId'] === viewer.userId) {
    if (event.type === 'session.delegated') extraSessions.add(event.sessionId)
    if (event.type === 'session.undelegated') extraSessions.delete(event.sessionId)
  }
  const tokenId = viewer.sees === 'agent' ? viewer.tokenId : null
  if (tokenId !== null && event.type === 'session.started' && event.data['tokenId'] === tokenId)
    extraSessions.add(event.sessionId)
}
