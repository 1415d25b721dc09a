import { actorName } from '../../../../domain/user/actor.ts'
import type { SessionId } from '../../../../domain/session/id.ts'
import type { Link } from '../../link.ts'

const most = 10_000

/** The prompt of each terminal that a caller was last shown: an answer without its id is for that one. */
export type ShownPrompts = {
  of(link: Link, terminal: SessionId): string | null
  note(link: Link, terminal: SessionId, promptId: string | null): void
}

export function createShownPrompts(): ShownPrompts {
  const shown = new Map<string, string>()
  const key = ({ actor, connectionId }: Link, terminal: SessionId) => `${actorName(actor)} ${connectionId} ${terminal}`
  return {
    of: (link, terminal) => shown.get(key(link, terminal)) ?? null,
    note(link, terminal, promptId) {
      const place = key(link, terminal)
      shown.delete(place)
      if (promptId !== null) shown.set(place, promptId)
      for (const oldest of shown.keys()) if (shown.size > most) shown.delete(oldest)
    },
  }
}
