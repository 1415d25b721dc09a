import type { Ask } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { loadDelegates, loadSession } from '../../domain/session/store.ts'
import type { UserId } from '../../domain/user/id.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { mayAnswerAsk, mayApproveAsk, mayOperate, type Grounds } from '../authorize.ts'
import type { Settings } from '../../domain/slice/context.ts'

type Ground = Pick<Grounds, 'session' | 'adminsMayAnswer'>

/** Whom something concerns, by the same rules that say who may do something about it. */
export type Audience = {
  /** Those of them who may answer it. */
  answerers(ask: Ask, among: readonly UserId[]): Promise<UserId[]>
  /** Whether somebody who may answer it may also say yes. */
  mayApprove(ask: Ask, userId: UserId): Promise<boolean>
  /** Those of them who may act on what is about a session. */
  operators(sessionId: SessionId, among: readonly UserId[]): Promise<UserId[]>
  /** Whose session it is: the owner, and whom they delegated it to. */
  holders(sessionId: SessionId): Promise<UserId[]>
  /** What waits for somebody: the number on their badge. */
  waitingFor(userId: UserId): Promise<number>
}

export function createAudience(
  { read }: Pick<Database, 'read'>,
  settings: () => Settings,
  waiting: (userId: UserId, adminsMayAnswer: boolean) => Promise<number>,
): Audience {
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
