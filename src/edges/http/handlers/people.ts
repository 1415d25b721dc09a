import { ownUserId } from '../../../app/authorize-action.ts'
import type { Command } from '../../../app/command.ts'
import { api } from '../../../client/contract.ts'
import type { UserId } from '../../../domain/user/schema.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { hashOfLinkCode, linkCodeMs, newLinkCode } from '../../../lib/link-code.ts'
import { newSecret, sha256 } from '../../../lib/secret.ts'
import { listed } from '../listed.ts'
import { dispatchOrAsk, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

/** Codes that one person may try in ten minutes. */
const mostCodes = 30

export function mountPeople(web: Web, deps: RouteDeps, clock: Clock): void {
  const { app, auth } = deps
  const now = () => iso(clock.now())
  const soon = () => iso(clock.now() + linkCodeMs)
  const codes = createRateLimit({ clock, most: mostCodes, perMs: linkCodeMs })
  const tooManyCodes = (userId: UserId): Failed | null => {
    const seconds = codes.take(userId)
    return seconds === null ? null : limitedCodes(seconds)
  }

  /** Clears cached callers: roles and tokens may have changed. */
  async function change(command: Command, call: ApiCall) {
    const done = await app.dispatch(command, call.caller.actor, call.once)
    auth.forget()
    return done
  }

  async function changed(command: Command, call: ApiCall, id: UserId) {
    const done = await change(command, call)
    return done.ok ? shown(call, id, !done.value.repeated) : done
  }

  /** Agents may ask for it. */
  async function asked(command: Command, call: ApiCall, id: UserId) {
    const done = await dispatchOrAsk(deps, command, call)
    auth.forget()
    return done.ok ? shown(call, id, !done.value.repeated) : done
  }

  const shown = async ({ caller }: ApiCall, id: UserId, justChanged = false) => {
    // The roles as they are now; what an agent's group lets it do is known from signing in.
    const standing = { ...caller.standing, ...(await app.read.standing(caller.actor)) }
    const seen = await app.read.user(standing, id)
    return seen.ok || !justChanged ? seen : app.read.changedUser(standing, id)
  }

  mount(web, deps, api.getMe, async (_input, { caller }) => {
    const user = await app.read.me(caller.standing)
    if (!user.ok) return user
    const { actor, via } = caller
    const scope = actor.kind === 'person' ? actor.scope : ('agent' as const)
    const as = actor.kind === 'person' ? ('person' as const) : ('agent' as const)
    return ok({ user: user.value, as, scope, via, may: app.read.may(caller.standing) })
  })
  mount(web, deps, api.listUsers, (_input, { caller }) => listed('users', app.read.users(caller.standing)))
  mount(web, deps, api.getUser, ({ params }, { caller }) => app.read.user(caller.standing, params.id))

  mount(web, deps, api.createUser, async ({ body }, call) => {
    const { displayName, identities } = body
    const done = await change({ type: 'user.create', id: newId<UserId>(), displayName, identities }, call)
    return done.ok ? shown(call, done.value.subject as UserId) : done
  })
  mount(web, deps, api.renameUser, ({ params, body }, call) =>
    changed({ type: 'user.rename', id: params.id, displayName: body.displayName }, call, params.id),
  )
  mount(web, deps, api.removeUser, ({ params }, call) =>
    changed({ type: 'user.remove', id: params.id }, call, params.id),
  )
  mount(web, deps, api.linkIdentity, ({ params, body }, call) =>
    changed({ type: 'identity.link', userId: params.id, identity: body.identity }, call, params.id),
  )
  mount(web, deps, api.unlinkIdentity, ({ params }, call) =>
    changed({ type: 'identity.unlink', userId: params.id, identity: params.identity }, call, params.id),
  )
  mount(web, deps, api.grantRole, ({ params, body }, call) =>
    changed({ type: 'role.grant', userId: params.id, ...body }, call, params.id),
  )
  mount(web, deps, api.revokeRole, ({ params, query }, call) => {
    const { id: userId, role } = params
    return changed({ type: 'role.revoke', userId, role, agentGroupId: query.agentGroupId ?? null }, call, userId)
  })
  mount(web, deps, api.addMember, ({ params }, call) =>
    asked({ type: 'member.add', userId: params.userId, agentGroupId: params.groupId }, call, params.userId),
  )
  mount(web, deps, api.removeMember, ({ params }, call) =>
    asked({ type: 'member.remove', userId: params.userId, agentGroupId: params.groupId }, call, params.userId),
  )

  mount(web, deps, api.createLinkCode, async (_input, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const code = newLinkCode()
    const expiresAt = soon()
    const done = await change({ type: 'identity.offer_own', codeHash: hashOfLinkCode(code), expiresAt }, call)
    return done.ok ? shownOnce(done.value.repeated, { code, expiresAt }) : done
  })
  mount(web, deps, api.showIdentityCode, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    return tooManyCodes(self.value) ?? app.read.identityOfCode(call.caller.standing, hashOfLinkCode(body.code), now())
  })
  mount(web, deps, api.claimIdentity, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const limited = tooManyCodes(self.value)
    if (limited) return limited
    const codeHash = hashOfLinkCode(body.code)
    if (body.identity === undefined) return changed({ type: 'identity.claim', codeHash }, call, self.value)
    const done = await change({ type: 'identity.claim_from', identity: body.identity, codeHash }, call)
    if (!done.ok) return done
    const holder = await app.read.holderOfIdentity(body.identity)
    return holder === null
      ? fail({ kind: 'conflict', code: 'claim_lost', message: 'The identity was unlinked in the meantime.' })
      : shown(call, holder)
  })

  mount(web, deps, api.listTokens, ({ query }, { caller }) =>
    listed('tokens', app.read.tokens(caller.standing, query.all === 'true')),
  )
  mount(web, deps, api.createToken, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const token = newSecret('sbx_')
    const { name, scope, sessionId = null, expiresAt = null } = body
    const id = newId<TokenIdOf>()
    const done = await change(
      { type: 'token.create', id, userId: self.value, name, scope, sessionId, expiresAt, hash: sha256(token) },
      call,
    )
    if (!done.ok) return done
    const createdAt = done.value.events[0]?.at ?? iso(clock.now())
    const made = {
      id,
      userId: self.value,
      name,
      scope,
      sessionId,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    }
    return shownOnce(done.value.repeated, { ...made, token })
  })
  mount(web, deps, api.revokeToken, async ({ params }, call) => {
    const done = await change({ type: 'token.revoke', id: params.id }, call)
    return done.ok ? ok({ id: params.id, revoked: true as const }) : done
  })
}

const limitedCodes = (seconds: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_codes',
    message: 'You tried too many codes.',
    hint: `Try again in ${seconds} seconds.`,
    details: { retryAfter: seconds },
  })

type TokenIdOf = Extract<Command, { type: 'token.create' }>['id']

export const selfOf = ({ caller }: ApiCall): Result<UserId> => ownUserId(caller.actor)

/** A secret is shown once, so a repeated request can't return it. */
export const shownOnce = <T>(repeated: boolean, value: T): Result<T> =>
  repeated
    ? fail({
        kind: 'conflict',
        code: 'secret_already_shown',
        message: 'This request was already carried out, and its secret is shown only once.',
        hint: 'If you did not receive it, create another with a new Idempotency-Key, and revoke the first.',
      })
    : ok(value)
