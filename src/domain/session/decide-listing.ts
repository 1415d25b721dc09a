import { notFound, ok, type Result } from '../../lib/result.ts'
import { notEnded } from './refusals.ts'
import type { ListingCommand, SessionOwnChange } from './schema.ts'
import type { Listing, SessionState } from './state.ts'
import { hasEnded } from './status.ts'

type Listed = Listing & Pick<SessionState, 'id' | 'status'>

/** How lists show a session: its name, whether it comes first, whether it is left out. */
export function decideListing(session: Listed | undefined, command: ListingCommand): Result<SessionOwnChange[]> {
  if (!session) return notFound('session', command.id)
  const { id, status, name, pinnedAt, archivedAt } = session
  switch (command.type) {
    case 'session.rename':
      return ok(name === command.name ? [] : [{ type: 'session.renamed', data: { id, from: name, to: command.name } }])
    case 'session.pin':
      return ok([
        // What is pinned is listed.
        ...(command.pinned && archivedAt !== null ? [archived(false)] : []),
        ...((pinnedAt !== null) === command.pinned ? [] : [pinned(command.pinned)]),
      ])
    case 'session.archive':
      if (!command.archived) return ok(archivedAt === null ? [] : [archived(false)])
      // An agent at work must not be out of sight.
      if (!hasEnded(status)) return notEnded(status)
      return ok(archivedAt === null ? [...(pinnedAt === null ? [] : [pinned(false)]), archived(true)] : [])
    default:
      return command satisfies never
  }

  function pinned(now: boolean): SessionOwnChange {
    return { type: 'session.pinned', data: { id, pinned: now } }
  }
  function archived(now: boolean): SessionOwnChange {
    return { type: 'session.archived', data: { id, archived: now } }
  }
}
