import { liveSessionsIn, worktreesOfSessions } from '../../domain/session/store-places.ts'
import { personOf, type Standing } from '../../domain/user/actor.ts'
import { isGlobalOwner } from '../../domain/user/decide.ts'
import { listNames } from '../../domain/user/query.ts'
import { ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

/** Who works where. */
export function createPlaceReads({ database, behind }: ReadContext) {
  const { read: db } = database
  return {
    worktrees: behind('person', async (viewer) => ok(await worktreesOfSessions(db, viewer))),
    liveSessionsIn: (path: string) => liveSessionsIn(db, path),
    /** Whose name is in a commit. */
    committer: async ({ actor, grants }: Standing): Promise<{ name: string; ownsServer: boolean }> => {
      const id = personOf(actor)
      const name = (await listNames(db)).find((one) => one.id === id)?.displayName ?? 'Signalbox'
      return { name, ownsServer: actor.kind === 'person' && isGlobalOwner(grants) }
    },
  }
}
