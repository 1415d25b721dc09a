import type { Executor } from '../../db/open.ts'
import type { Standing } from './actor.ts'
import type { UserId } from './id.ts'

/**
 * How somebody without a role or a group came to have an account. `let_in`: a person with access made it, or they can
 * sign in. `own_sessions`: only by what they wrote in public chats. `none`: they have nothing.
 */
export type Entry = 'let_in' | 'own_sessions' | 'none'

/** The same of anybody: a role or a group lets them in. */
export const entryOfPerson = async (
  db: Executor,
  { grants, memberOf }: Pick<Standing, 'grants' | 'memberOf'>,
  { userId, identity }: { userId: UserId; identity: string },
): Promise<Entry> => (grants.length > 0 || memberOf.length > 0 ? 'let_in' : entryOf(db, userId, identity))

async function entryOf(db: Executor, id: UserId, identity: string): Promise<Entry> {
  if (!(await isOnlyKnownAs(db, id, identity))) return 'let_in'
  const [owned, lent] = await Promise.all([
    db.selectFrom('sessions').select('id').where('owner_user_id', '=', id).limit(1).execute(),
    db.selectFrom('session_delegates').select('session_id').where('user_id', '=', id).limit(1).execute(),
  ])
  return owned.length + lent.length > 0 ? 'own_sessions' : 'none'
}

/** Nobody can sign in as this person, and they have no other identity: they were made for a chat account. */
export async function isOnlyKnownAs(db: Executor, id: UserId, identity: string): Promise<boolean> {
  const found = await Promise.all([
    // Their agents have tokens, too; nobody signs in with those.
    db.selectFrom('tokens').select('id').where('user_id', '=', id).where('scope', '!=', 'agent').limit(1).execute(),
    db.selectFrom('logins').select('user_id').where('user_id', '=', id).limit(1).execute(),
    // Linked by a code, or by an admin: a person who is only known from a chat has one identity.
    db
      .selectFrom('user_identities')
      .select('identity')
      .where('user_id', '=', id)
      .where('identity', '!=', identity)
      .limit(1)
      .execute(),
  ])
  return found.every((rows) => rows.length === 0)
}
