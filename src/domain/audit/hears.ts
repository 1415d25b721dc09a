import type { SessionId } from '../session/id.ts'
import type { Viewer } from '../user/actor.ts'
import type { UserId } from '../user/id.ts'
import type { Event, Visibility } from './schema.ts'

export type Heard = Pick<Event, 'type' | 'stream' | 'sessionId' | 'ownerUserId' | 'agentGroupId'> & {
  readonly visibility: Visibility
  /** People the event names. */
  readonly named: readonly UserId[]
}

/** The same rule as the log query, for events delivered live. */
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
      if (event.named.includes(viewer.userId)) return true
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
