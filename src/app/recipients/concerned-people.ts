import type { Ask } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { loadDelegates, loadSession } from '../../domain/session/store.ts'
import type { UserId } from '../../domain/user/id.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { mayAnswerAsk, mayApproveAsk, mayOperate, type Grounds } from '../authorize.ts'
import type { Settings } from '../../domain/slice/context.ts'

type Ground = Pick<Grounds, 'session' | 'adminsMayAnswer'>

/** The people that something concerns, by the same rules as permissions. */
export type ConcernedPeople = {
  /** Those among them who may answer it. */
  answerers(ask: Ask, among: readonly UserId[]): Promise<UserId[]>
  /** Whether a person who may answer it may also approve it. */
  mayApprove(ask: Ask, userId: UserId): Promise<boolean>
  /** Those among them who may operate the session. */
  operators(sessionId: SessionId, among: readonly UserId[]): Promise<UserId[]>
  /** The owner and the delegates. */
  holders(sessionId: SessionId): Promise<UserId[]>
  /** The number on a person's badge. */
  waitingFor(userId: UserId): Promise<number>
}

export function createConcernedPeople(
  { read }: Pick<Database, 'read'>,
  settings: () => Settings,
  waiting: (userId: UserId, adminsMayAnswer: boolean) => Promise<number>,
): ConcernedPeople {
  async function groundOf(id: SessionId | null): Promise<Ground> {
    const { adminsMayAnswer } = settings()
    const session = id === null ? undefined : await loadSession(read, id)
    return session
      ? { adminsMayAnswer, session: { ...session, delegates: await loadDelegates(read, session.id) } }
      : { adminsMayAnswer }
  }

  async function those(
    among: readonly UserId[],
    id: SessionId | null,
    may: (grounds: Grounds) => boolean,
  ): Promise<UserId[]> {
    const ground = await groundOf(id)
    const found: UserId[] = []
    for (const userId of among) {
      const standing = await loadStanding(read, { kind: 'person', userId, scope: 'full' })
      if (may({ ...ground, standing })) found.push(userId)
    }
    return found
  }

  return {
    answerers: (ask, among) => those(among, ask.sessionId, (grounds) => mayAnswerAsk(grounds, ask)),
    mayApprove: async (ask, userId) =>
      (await those([userId], ask.sessionId, (grounds) => mayApproveAsk(grounds, ask, ask.subject))).length > 0,
    // Without its session there is nothing to operate.
    operators: (id, among) => those(among, id, (grounds) => grounds.session !== undefined && mayOperate(grounds)),
    async holders(id) {
      const { session } = await groundOf(id)
      return session ? [session.ownerUserId, ...session.delegates] : []
    },
    waitingFor: (userId) => waiting(userId, settings().adminsMayAnswer),
  }
}
