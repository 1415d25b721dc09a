import { isPaused } from '../../domain/alert/status.ts'
import { lookingFor } from '../../db/long-queries.ts'
import type { Database, Executor } from '../../db/open.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { getSession } from '../../domain/session/query.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Settings } from '../../domain/slice/context.ts'
import { isAdmin, personOf, viewerOf, type Standing, type Viewer } from '../../domain/user/actor.ts'
import { isGlobalOwner } from '../../domain/user/decide.ts'
import type { UserId } from '../../domain/user/id.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { Live } from '../live.ts'
import { readsAsAgentOf } from '../agent-group/cli-scope.ts'
import { needsRole } from '../rules.ts'

/** Whether someone may read at all. Their viewer decides what they see. */
const gates = {
  anyone: (who: Standing): Failed | null => (who.unknown ? unknownUser() : null),
  person: (who: Standing): Failed | null =>
    who.unknown ? unknownUser() : who.actor.kind === 'agent' ? agentsMayNotLook() : null,
  /** People, and agents that may read the rows of their own agent group (C10). */
  insider: (who: Standing): Failed | null =>
    who.unknown ? unknownUser() : readsAsAgentOf(who) === null ? gates.person(who) : null,
  admin: (who: Standing): Failed | null => gates.person(who) ?? (isAdmin(who) ? null : needsRole('admin')),
  owner: (who: Standing): Failed | null => gates.person(who) ?? (isOwner(who) ? null : needsRole('owner')),
}
const isOwner = ({ actor, grants }: Standing): boolean => actor.kind === 'system' || isGlobalOwner(grants)
const unknownUser = () => fail({ kind: 'unauthenticated', code: 'not_authorised', message: 'Unknown user.' })
const agentsMayNotLook = () =>
  fail({ kind: 'forbidden', code: 'agents_may_not', message: "An agent's token can't read this." })

/** Whose personal data is read. Without a person there is none. */
export const selfOf = ({ actor }: Standing): UserId => personOf(actor) ?? ('' as UserId)

export type Read<A extends unknown[], T> = (who: Standing, ...args: A) => Promise<Result<T>>

/** What every read needs. */
export type ReadContext = {
  readonly database: Database
  readonly live: Pick<Live, 'growing' | 'overlay'>
  settings(): Pick<Settings, 'adminsMayAnswer' | 'separateRequester' | 'timeZone' | 'vouched'>
  now(): number
  /** A read that its gate protects. */
  behind<A extends unknown[], T>(
    gate: keyof typeof gates,
    look: (viewer: Viewer, who: Standing, ...args: A) => Promise<Result<T>>,
  ): Read<A, T>
  visibleSession(viewer: Viewer, id: SessionId): Promise<Result<Session>>
  /** A viewer who sees everything can use an index; for others it is a search, which runs aside. */
  forViewer(viewer: Viewer): Executor
}

export function createReadContext(deps: Pick<ReadContext, 'database' | 'live' | 'settings' | 'now'>): ReadContext {
  const { read: db, aside } = deps.database
  return {
    ...deps,
    behind:
      (gate, look) =>
      async (who, ...args) =>
        gates[gate](who) ?? lookingFor.run(personOf(who.actor) ?? '', () => look(viewerOf(who), who, ...args)),
    async visibleSession(viewer, id) {
      const session = await getSession(db, viewer, id)
      return session ? ok(asOf(session, deps.now())) : notFound('session', id)
    },
    forViewer: (viewer) => (viewer.sees === 'all' ? db : aside),
  }
}

/** A pause of stall detection ends with its time. */
export const asOf = (session: Session, now: number): Session => ({ ...session, stallPaused: isPaused(session, now) })
