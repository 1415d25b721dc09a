import { listDevices } from '../../domain/push/query.ts'
import { loadSettings } from '../../domain/push/store.ts'
import { noSuchDevice } from '../../domain/sign-in/decide.ts'
import { deviceState, findPasskey, findWaitingDevice, hasPasskeys, listPasskeys } from '../../domain/sign-in/store.ts'
import { isAdmin, type Actor } from '../../domain/user/actor.ts'
import type { UserId } from '../../domain/user/id.ts'
import { firstOwner, listTokens, listUsers } from '../../domain/user/query.ts'
import { codeNotValid } from '../../domain/user/decide-codes.ts'
import { holderOf, loadCode } from '../../domain/user/store.ts'
import { findLogin, findToken, hasLoginLink } from '../../domain/user/store-access.ts'
import { notFound, ok } from '../../lib/result.ts'
import { standingOf } from '../agent-group/cli-scope.ts'
import { needsRole, readOnly } from '../rules.ts'
import { selfOf, type ReadContext } from './context.ts'

/** People, their tokens, logins and devices. */
export function createPeopleReads({ database, behind }: ReadContext) {
  const { read: db } = database
  return {
    users: behind('admin', async () => ok(await listUsers(db))),
    user: behind('person', async (_viewer, who, id: UserId) => {
      const mine = who.actor.kind === 'person' && who.actor.userId === id
      if (!mine && !isAdmin(who)) return notFound('user', id)
      const [user] = await listUsers(db, id)
      return user ? ok(user) : notFound('user', id)
    }),
    /** The caller. An agent is told whose it is, but not its person's identities and roles. */
    me: behind('anyone', async (_viewer, { actor }) => {
      if (!('userId' in actor)) return notFound('user', actor.kind)
      const [user] = await listUsers(db, actor.userId)
      if (!user) return notFound('user', actor.userId)
      return ok(actor.kind === 'agent' ? { ...user, identities: [], roles: [], memberOf: [] } : user)
    }),
    tokens: behind('person', async (_viewer, who, all: boolean) => {
      if (all && !isAdmin(who)) return needsRole('admin')
      const mine = who.actor.kind === 'person' ? who.actor.userId : undefined
      return ok(await listTokens(db, all ? undefined : mine))
    }),
    /** Refuses agents. */
    isPerson: behind('person', async () => ok(null)),
    /** For edges that touch the disk before they dispatch. */
    mayAdminister: behind('admin', async (_viewer, who) => readOnly(who.actor) ?? ok(null)),
    /** The caller's own devices; with an endpoint, only that one. */
    pushDevices: behind('person', async (_viewer, who, endpoint?: string) =>
      ok(await listDevices(db, selfOf(who), endpoint)),
    ),
    notificationSettings: behind('person', async (_viewer, who) => ok(await loadSettings(db, selfOf(who)))),

    /** The identity that a code from a chat would link to the caller. */
    identityOfCode: behind('person', async (_viewer, _who, codeHash: string, now: string) => {
      const code = await loadCode(db, codeHash, now)
      return code && !code.expired && !code.used ? ok({ identity: code.identity }) : codeNotValid()
    }),

    passkeys: behind('person', async (_viewer, who) => ok(await listPasskeys(db, selfOf(who)))),
    /** The device that shows this code, for the person who may let it in. */
    waitingDevice: behind('person', async (_viewer, who, codeHash: string, now: string) => {
      const looksOnly = readOnly(who.actor)
      if (looksOnly) return looksOnly
      const device = await findWaitingDevice(db, codeHash, now)
      return device ? ok(device) : noSuchDevice()
    }),

    // For edges that authenticate the caller.
    passkeyByCredential: (id: string) => findPasskey(db, id),
    hasPasskeys: () => hasPasskeys(db),
    deviceState: (requestHash: string, now: string) => deviceState(db, requestHash, now),
    standing: (actor: Actor) => standingOf(db, actor),
    credentialByToken: (hash: string) => findToken(db, hash),
    credentialByCookie: (hash: string) => findLogin(db, hash),
    hasLoginLink: (hash: string) => hasLoginLink(db, hash),
    holderOfIdentity: (identity: string) => holderOf(db, [identity]),
    firstOwner: () => firstOwner(db),
  }
}
