import type { Grounds } from '../domain/slice/grounds.ts'
import { isAdmin, type Actor } from '../domain/user/actor.ts'
import { isGlobalAdmin, isGlobalOwner } from '../domain/user/decide.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import { fail, notFound, type Failed } from '../lib/result.ts'

export type { Grounds }

/** A permission check and its description: docs/access.md is generated from these. */
export type PermissionRule<C = unknown> = ((grounds: Grounds, command: C) => Failed | null) & { readonly who: string }

export const rule = <C>(who: string, judge: (grounds: Grounds, command: C) => Failed | null): PermissionRule<C> =>
  Object.assign((grounds: Grounds, command: C) => judge(grounds, command), { who })

export const allow = null
export const forbid = (code: string, message: string, hint?: string): Failed =>
  fail({ kind: 'forbidden', code, message, hint })
export const agentsMayNot = () => forbid('agents_may_not', "An agent's token can't do this.", 'A person must do it.')
export const readOnly = (actor: Actor): Failed | null =>
  actor.kind === 'person' && actor.scope === 'read'
    ? forbid('read_only_token', 'This token is read-only.', 'Use a token with the scope full.')
    : allow
export const needsRole = (role: string) => forbid('needs_role', `This needs the ${role} role.`, 'Ask an owner.')

export const systemOnly = rule('Signalbox itself', ({ standing }) =>
  standing.actor.kind === 'system' ? allow : forbid('not_for_callers', 'Only Signalbox itself can do this.'),
)

export const people = rule('any person', ({ standing: { actor } }) =>
  actor.kind === 'agent' || actor.kind === 'policy' ? agentsMayNot() : allow,
)

export const admins = rule('admins and owners', ({ standing }) => {
  if (standing.actor.kind === 'agent') return agentsMayNot()
  return isAdmin(standing) ? allow : needsRole('admin')
})

export const owners = rule('owners', ({ standing }) => {
  if (standing.actor.kind === 'agent') return agentsMayNot()
  return standing.actor.kind === 'system' || isGlobalOwner(standing.grants) ? allow : needsRole('owner')
})

export const groupAdmins = rule<{ agentGroupId: AgentGroupId }>(
  "the agent group's admins, admins and owners",
  (grounds, { agentGroupId }) => {
    const { standing } = grounds
    if (standing.actor.kind === 'agent') return agentsMayNot()
    if (standing.grants.some((grant) => grant.role === 'admin' && grant.agentGroupId === agentGroupId)) return allow
    return admins(grounds, undefined)
  },
)

export const self = ({ standing }: Grounds, userId: UserId): boolean =>
  standing.actor.kind === 'person' && standing.actor.userId === userId

/** `whom` is the person the command is about. */
export const selfOr = <C>(otherwise: PermissionRule, whom: (command: C) => UserId): PermissionRule<C> =>
  rule(
    otherwise.who === systemOnly.who ? 'the person themselves' : `the person themselves; ${otherwise.who}`,
    (grounds, command) => (self(grounds, whom(command)) ? allow : otherwise(grounds, undefined)),
  )

/** R3: the owner and their delegates; admins only if the configuration says so. */
export const operator = rule("the session's owner and delegates¹", (grounds) => {
  const { standing, session } = grounds
  const { actor } = standing
  if (actor.kind === 'system' || !session) return allow
  if (actor.kind === 'agent') return ownAgent(grounds) ? agentsMayNot() : notFound('session', session.id)
  if (actor.kind === 'policy') return agentsMayNot()
  if (session.ownerUserId === actor.userId || session.delegates.includes(actor.userId)) return allow
  const admin = isGlobalAdmin(standing.grants)
  if (admin && grounds.adminsMayAnswer) return allow
  const group = session.agentGroupId
  const reads =
    admin ||
    (group !== null &&
      (standing.memberOf.includes(group) || standing.grants.some((grant) => grant.agentGroupId === group)))
  // Callers who may not read it do not learn that it exists.
  if (!reads) return notFound('session', session.id)
  return forbid(
    'not_owner',
    'Only the owner of the session can do this.',
    'Ask them to do it, or to delegate the session to you.',
  )
})

/** Delegates may not delegate further. */
export const lender = rule("the session's owner", (grounds) => {
  const refused = operator(grounds, undefined)
  const { session } = grounds
  if (refused || !session || grounds.standing.actor.kind === 'system' || self(grounds, session.ownerUserId))
    return refused
  return forbid('not_owner', 'Only the owner of a session can delegate it.')
})

export const ownAgent = ({ standing: { actor }, session, lineage = [] }: Grounds): boolean =>
  actor.kind === 'agent' &&
  session !== undefined &&
  (actor.sessionId === session.id ||
    (actor.sessionId !== null && lineage.includes(actor.sessionId)) ||
    (actor.tokenId !== null && actor.tokenId === session.tokenId))

export const agentOrOperator = rule("the session's agent, its owner and delegates¹", (grounds) =>
  ownAgent(grounds) ? allow : operator(grounds, undefined),
)

/** R13: an agent that lost its session may continue another token's only if neither token was made for one session. */
export const takingUp = rule(
  "the session's agent; to continue an interrupted session of its person in the same workspace, if no token was made for either",
  (grounds) => {
    const { session, candidate, standing } = grounds
    const refused = agentOrOperator(grounds, undefined)
    const { actor } = standing
    if (refused || !session || !candidate || actor.kind === 'system' || candidate.related) return refused
    const { session: wanted, hasToken, callerIsBound } = candidate
    const isSame = wanted.ownerUserId === session.ownerUserId && wanted.workspaceRoot === session.workspaceRoot
    const isFree =
      wanted.status === 'interrupted' ||
      (actor.kind === 'agent' && actor.tokenId !== null && wanted.tokenId === actor.tokenId)
    if (isSame && isFree && !hasToken && !callerIsBound) return allow
    return forbid(
      'session_not_yours',
      `${wanted.id} is not a session you can continue.`,
      'Leave session_id out, or ask your operator.',
    )
  },
)

export const agentOrSystem = rule("the session's agent", (grounds) => {
  if (ownAgent(grounds) || !grounds.session) return allow
  return operator(grounds, undefined) ?? systemOnly(grounds, undefined)
})
