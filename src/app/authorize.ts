import { isAdministrative, type AskKind } from '../domain/ask/subject.ts'
import type { LoadedAsk } from '../domain/ask/store.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { LoadedSession } from '../domain/session/store.ts'
import { isAdmin, type Standing } from '../domain/user/actor.ts'
import { isGlobalOwner, isGlobalAdmin, type UserState } from '../domain/user/decide.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import { fail, notFound, type Failed } from '../lib/result.ts'
import type { Command, CommandOf } from './command.ts'

/** What a permission is judged by: who, and what was loaded for the command. */
export type Grounds = {
  readonly standing: Standing
  readonly adminsMayAnswer: boolean
  readonly session?: (LoadedSession & { delegates: readonly UserId[] }) | undefined
  /** The sessions whose agents reach this one, because it is a terminal that they started or were let at. */
  readonly reachedBy?: readonly SessionId[] | undefined
  readonly ask?: LoadedAsk | undefined
  /** The sessions that continue the one it is about, or are continued by it. */
  readonly lineage?: readonly SessionId[] | undefined
  readonly user?: UserState | undefined
  /** The person a token, login or link belongs to. */
  readonly holder?: UserId | undefined
}

type Rule<C> = (grounds: Grounds, command: C) => Failed | null

const allow = null
const forbid = (code: string, message: string, hint?: string): Failed =>
  fail({ kind: 'forbidden', code, message, hint })
const agentsMayNot = () => forbid('agents_may_not', "An agent's token may not do this.", 'A person has to.')
const needsRole = (role: string) => forbid('needs_role', `This needs the ${role} role.`, 'Ask an owner.')

const systemOnly: Rule<unknown> = ({ standing }) =>
  standing.actor.kind === 'system' ? allow : forbid('not_for_callers', 'Only Signalbox itself does this.')

const people: Rule<unknown> = ({ standing: { actor } }) =>
  actor.kind === 'agent' || actor.kind === 'policy' ? agentsMayNot() : allow

const admins: Rule<unknown> = ({ standing }) => {
  if (standing.actor.kind === 'agent') return agentsMayNot()
  return isAdmin(standing) ? allow : needsRole('admin')
}

const owners: Rule<unknown> = ({ standing }) => {
  if (standing.actor.kind === 'agent') return agentsMayNot()
  return standing.actor.kind === 'system' || isGlobalOwner(standing.grants) ? allow : needsRole('owner')
}

const groupAdmins = (grounds: Grounds, group: AgentGroupId): Failed | null => {
  const { standing } = grounds
  if (standing.actor.kind === 'agent') return agentsMayNot()
  if (standing.grants.some((grant) => grant.role === 'admin' && grant.agentGroupId === group)) return allow
  return admins(grounds, undefined)
}

const self = ({ standing }: Grounds, userId: UserId): boolean =>
  standing.actor.kind === 'person' && standing.actor.userId === userId

const selfOr =
  (otherwise: Rule<unknown>) =>
  (grounds: Grounds, userId: UserId): Failed | null =>
    self(grounds, userId) ? allow : otherwise(grounds, undefined)

/** R3: the owner, or whom they delegated to; admins only where the configuration says so. */
const operator: Rule<unknown> = (grounds) => {
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
  // Who may not even read it learns nothing, not even that it exists.
  if (!reads) return notFound('session', session.id)
  return forbid('not_owner', 'Only the owner of the session may do this.', 'Ask them to, or to delegate it to you.')
}

/** What was lent is not lent on. */
const lender: Rule<unknown> = (grounds) => {
  const refused = operator(grounds, undefined)
  const { session } = grounds
  if (refused || !session || grounds.standing.actor.kind === 'system' || self(grounds, session.ownerUserId))
    return refused
  return forbid('not_owner', 'Only the owner of a session delegates it.')
}

const ownAgent = ({ standing: { actor }, session, lineage = [] }: Grounds): boolean =>
  actor.kind === 'agent' &&
  session !== undefined &&
  (actor.sessionId === session.id ||
    (actor.sessionId !== null && lineage.includes(actor.sessionId)) ||
    (actor.tokenId !== null && actor.tokenId === session.tokenId))

const agentOrOperator: Rule<unknown> = (grounds) => (ownAgent(grounds) ? allow : operator(grounds, undefined))

const agentOrSystem: Rule<unknown> = (grounds) => {
  if (ownAgent(grounds) || !grounds.session) return allow
  return operator(grounds, undefined) ?? systemOnly(grounds, undefined)
}

const mayStart: Rule<CommandOf<'session.start'>> = (grounds, { session, restartOf }) => {
  const { actor } = grounds.standing
  if (actor.kind === 'system') return allow
  if (actor.kind === 'policy') return agentsMayNot()
  // An agent we start acts as whoever runs the server: that is for people.
  if (actor.kind === 'agent' && session.protocolMode === 'acp') return agentsMayNot()
  const continues = restartOf !== null && grounds.session?.ownerUserId === session.ownerUserId
  if (actor.userId !== session.ownerUserId && !continues)
    return forbid('not_authorised', 'A session belongs to the person who starts it.')
  if (actor.kind === 'agent' && actor.sessionId !== null)
    return forbid('token_of_one_session', 'This token belongs to one session and starts no other.')
  return restartOf === null ? allow : agentOrOperator(grounds, undefined)
}

/** A terminal runs as whoever runs the server; an agent's has been asked about before (T1). */
const mayOpenTerminal: Rule<CommandOf<'terminal.open'>> = ({ standing: { actor } }, { session, terminal }) => {
  if (actor.kind === 'system') return allow
  if (actor.kind === 'policy' || actor.userId !== session.ownerUserId) return agentsMayNot()
  return actor.kind === 'person' || terminal.startedBy === actor.sessionId ? allow : agentsMayNot()
}

/** An ask, as far as who may answer it depends on it. */
export type Answerable = Pick<LoadedAsk, 'id' | 'sessionId' | 'answerers'> & { readonly kind: AskKind }

const answerer = (grounds: Grounds, ask: Answerable): Failed | null => {
  const { standing } = grounds
  const { actor } = standing
  if (actor.kind === 'agent') return forbid('agents_never_answer', 'An agent never answers an ask; a person does.')
  if (actor.kind !== 'person') return allow
  if (ask.answerers !== null) {
    if (ask.answerers.includes(actor.userId)) return allow
    const seen = operator(grounds, undefined)
    // Where risk made others answer too, the session's own people still may.
    const owner = grounds.session?.ownerUserId
    if (seen === allow && owner !== undefined && ask.answerers.includes(owner)) return allow
    return seen?.fault.kind === 'not_found' && !isAdmin(standing)
      ? notFound('ask', ask.id)
      : forbid('not_an_answerer', 'This ask names who may answer it, and you are not among them.')
  }
  if (ask.sessionId === null) return isAdmin(standing) ? allow : notFound('ask', ask.id)
  if (isAdministrative(ask.kind)) return admins(grounds, undefined)
  const refused = operator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
}

const mayAnswer: Rule<unknown> = (grounds) => {
  const { ask, standing } = grounds
  if (ask) return answerer(grounds, { ...ask, kind: ask.subject.kind })
  return standing.actor.kind === 'agent'
    ? forbid('agents_never_answer', 'An agent never answers an ask; a person does.')
    : allow
}

/** For those who list asks and alerts: whether it is theirs to answer, or to act on. */
export const mayAnswerAsk = (grounds: Grounds, ask: Answerable): boolean =>
  (outright(grounds.standing) ?? answerer(grounds, ask)) === allow
export const mayOperate = (grounds: Grounds): boolean =>
  (outright(grounds.standing) ?? operator(grounds, undefined)) === allow

/** Withdrawing or applying: the asker's side, or the operator; without a session, admins. */
const onAsk: Rule<unknown> = (grounds) => {
  const { ask } = grounds
  if (!ask) return allow
  if (ask.sessionId === null) return isAdmin(grounds.standing) ? allow : notFound('ask', ask.id)
  const refused = agentOrOperator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
}

/** What was applied in a session is its operator's to take back, whoever else had a say in it. */
const mayUndo: Rule<unknown> = (grounds) => {
  const { ask, standing } = grounds
  if (standing.actor.kind === 'agent') return agentsMayNot()
  if (!ask) return allow
  const refused = operator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
}

const mayOpen: Rule<CommandOf<'ask.open'>> = (grounds, { ask }) =>
  ask.sessionId === null ? systemOnly(grounds, undefined) : agentOrOperator(grounds, undefined)

const mayGrant: Rule<CommandOf<'role.grant' | 'role.revoke'>> = (grounds, command) => {
  if (command.type === 'role.grant' && self(grounds, command.userId))
    return forbid('not_yourself', 'Nobody raises themselves; another owner has to.')
  if (command.type === 'role.revoke' && self(grounds, command.userId)) return allow
  return command.agentGroupId === null ? owners(grounds, command) : groupAdmins(grounds, command.agentGroupId)
}

/** Owners and admins are in the hands of owners alone: whoever could change who they are could become one. */
const overPerson: Rule<unknown> = (grounds, command) =>
  grounds.user && isGlobalAdmin(grounds.user.grants) ? owners(grounds, command) : admins(grounds, command)

const holderOr =
  (otherwise: Rule<unknown>): Rule<unknown> =>
  (grounds) =>
    grounds.holder === undefined ? otherwise(grounds, undefined) : selfOr(otherwise)(grounds, grounds.holder)

/** Somebody's own, and nobody else's; an agent's person is somebody else. */
const ownOnly: Rule<{ userId: UserId }> = (grounds, { userId }) =>
  grounds.standing.actor.kind === 'agent' ? agentsMayNot() : selfOr(systemOnly)(grounds, userId)

const mayCreateToken: Rule<CommandOf<'token.create'>> = (grounds, command) => {
  const refused = selfOr(systemOnly)(grounds, command.userId)
  if (refused) return grounds.standing.actor.kind === 'agent' ? agentsMayNot() : refused
  if (command.sessionId === null || grounds.session?.ownerUserId === command.userId) return allow
  // Not a delegate's: the token would outlive what was lent to them.
  return operator(grounds, command) ?? forbid('not_owner', 'Only the owner of a session makes tokens for it.')
}

/** One row a command; a command without one does not compile. */
const permissions: { readonly [T in Command['type']]: Rule<CommandOf<T>> } = {
  'session.start': mayStart,
  'session.activate': systemOnly,
  'session.pause': operator,
  'session.resume': operator,
  'session.complete': agentOrOperator,
  'session.cancel': operator,
  'session.fail': agentOrSystem,
  'session.terminate': operator,
  'session.interrupt': agentOrSystem,
  'session.recover': agentOrOperator,
  'session.touch': agentOrOperator,
  'session.connect': systemOnly,
  'session.alert': systemOnly,
  'session.steer': operator,
  'session.set_mode': agentOrOperator,
  'session.watch': operator,
  'session.rejoin': agentOrOperator,
  'session.delegate': lender,
  'session.undelegate': (grounds, { userId }) =>
    self(grounds, userId) ? operator(grounds, undefined) : lender(grounds, undefined),
  'message.add': (grounds, { role }) =>
    role === 'user' ? operator(grounds, undefined) : agentOrOperator(grounds, undefined),
  'queue.add': operator,
  'queue.send': systemOnly,
  'queue.settle': systemOnly,
  'queue.drop': operator,
  'agent.host': systemOnly,
  'agent.record': systemOnly,
  'alert.raise': systemOnly,
  'alert.nudge': operator,
  'alert.escalate': systemOnly,
  'alert.dismiss': operator,
  'alert.recover': systemOnly,
  'alert.lapse': systemOnly,
  'ask.open': mayOpen,
  'ask.answer': mayAnswer,
  'ask.expire': systemOnly,
  'ask.cancel': onAsk,
  'ask.claim': onAsk,
  'ask.release': systemOnly,
  'ask.consume': systemOnly,
  'ask.fail': systemOnly,
  'ask.undo': mayUndo,
  'user.create': admins,
  'user.rename': (grounds, { id }) => selfOr(overPerson)(grounds, id),
  'user.remove': overPerson,
  'identity.link': overPerson,
  'identity.unlink': (grounds, { userId }) => selfOr(overPerson)(grounds, userId),
  'identity.offer': (grounds, { userId }) => selfOr(systemOnly)(grounds, userId),
  'identity.claim': overPerson,
  'role.grant': mayGrant,
  'role.revoke': mayGrant,
  'member.add': (grounds, { agentGroupId }) => groupAdmins(grounds, agentGroupId),
  'member.remove': (grounds, { agentGroupId }) => groupAdmins(grounds, agentGroupId),
  'token.create': mayCreateToken,
  'token.revoke': holderOr(admins),
  'token.touch': systemOnly,
  'login.offer': (grounds, { userId }) => selfOr(owners)(grounds, userId),
  'login.redeem': systemOnly,
  'login.end': holderOr(systemOnly),
  'repo.register': admins,
  'repo.remove': admins,
  'checkpoint.record': agentOrOperator,
  'checkpoint.note_restored': operator,
  'terminal.open': mayOpenTerminal,
  'terminal.advance': systemOnly,
  'terminal.close': systemOnly,
  'terminal.grant': operator,
  'terminal.revoke': operator,
  'input.track': (grounds) => {
    const { actor } = grounds.standing
    const reaches = actor.kind === 'agent' && actor.sessionId !== null && grounds.reachedBy?.includes(actor.sessionId)
    return reaches ? allow : agentOrOperator(grounds, undefined)
  },
  'input.judge': systemOnly,
  'pattern.import': ownOnly,
  // Whose they are, is decided with the pattern itself.
  'pattern.forget': people,
  'pattern.confirm': people,
  'pattern.dismiss': people,
  'pattern.revoke': people,
  'policy.propose': systemOnly,
  // A rule answers for everybody who works there, not only for who confirms it.
  'policy.note_written': admins,
  'policy.confirm': admins,
  'policy.dismiss': admins,
  'policy.revoke': admins,
  'push.add_device': ownOnly,
  'push.remove_device': ownOnly,
  'push.set_settings': ownOnly,
  'security.report': systemOnly,
}

/** Who may not ask for anything at all, whatever it is. */
export function outright({ actor, unknown }: Standing): Failed | null {
  if (unknown)
    return fail({ kind: 'unauthenticated', code: 'not_authorised', message: 'Nobody here is known by that name.' })
  return actor.kind === 'person' && actor.scope === 'read'
    ? forbid('read_only_token', 'This token may only look.', 'Use one made with the scope full.')
    : null
}

export function authorize(grounds: Grounds, command: Command): Failed | null {
  // The table's key and the command's type are the same by construction.
  const rule = permissions[command.type] as Rule<Command>
  return outright(grounds.standing) ?? rule(grounds, command)
}
