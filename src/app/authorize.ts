import type { Answer } from '../domain/ask/answer.ts'
import { groupMeant } from '../domain/ask/new-chat.ts'
import { isAdministrative, isGroupKind } from '../domain/ask/kinds.ts'
import type { AskSubject } from '../domain/ask/subject.ts'
import { isAdmin, type Standing } from '../domain/user/actor.ts'
import { isGlobalAdmin } from '../domain/user/decide.ts'
import type { UserId } from '../domain/user/id.ts'
import { fail, notFound, type Failed } from '../lib/result.ts'
import type { Command, CommandOf } from './command.ts'
import {
  admins,
  agentOrOperator,
  agentOrSystem,
  agentsMayNot,
  allow,
  forbid,
  groupAdmins,
  lender,
  operator,
  owners,
  people,
  readOnly,
  rule,
  self,
  selfOr,
  systemOnly,
  takingUp,
  type Grounds,
  type PermissionRule,
} from './rules.ts'
import { administrator, adminsOfCredential, mayGrantToGroup, type Answerable } from './rules-administration.ts'
import {
  administersOne,
  adminsOfGroup,
  adminsOfWiring,
  mayAddDestination,
  mayConfigure,
  mayCreateGroup,
  mayWire,
} from './rules-group.ts'
import {
  driving,
  mayBeTyped,
  mayConsent,
  mayOpenTerminal,
  mayStart,
  reaches,
  steering,
  withFiles,
  withPlace,
  writing,
} from './rules-machine.ts'
import { mayCreateSchedule, planner, stopper } from './rules-schedule.ts'
import { holdersOfTemplate, mayAddTemplate } from './rules-template.ts'

export type { Answerable } from './rules-administration.ts'
export type { Grounds } from './rules.ts'

const answerer = (grounds: Grounds, ask: Answerable): Failed | null => {
  const { standing } = grounds
  const { actor } = standing
  if (actor.kind === 'agent') return forbid('agents_never_answer', "Agents can't answer asks; a person must.")
  if (actor.kind !== 'person') return allow
  if (ask.agentGroupId !== null && isGroupKind(ask.kind)) return administrator(grounds, ask, ask.agentGroupId)
  if (ask.answerers !== null) {
    if (ask.answerers.includes(actor.userId)) return allow
    const seen = operator(grounds, undefined)
    // If risk added answerers, the session's own people may still answer.
    const owner = grounds.session?.ownerUserId
    if (seen === allow && owner !== undefined && ask.answerers.includes(owner)) return allow
    const isHidden = ask.sessionId === null || seen?.fault.kind === 'not_found'
    return isHidden && !isAdmin(standing)
      ? notFound('ask', ask.id)
      : forbid('not_an_answerer', 'Only the people named in this ask can answer it.')
  }
  if (ask.sessionId === null) return isAdmin(standing) ? allow : notFound('ask', ask.id)
  if (isAdministrative(ask.kind)) return admins(grounds, undefined)
  const refused = operator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
}

/** Only admins of an agent group let it listen in a chat. */
function mayChoose(grounds: Grounds, subject: AskSubject, answer: Answer): Failed | null {
  if (subject.kind !== 'new_chat' || answer.outcome !== 'approve') return allow
  const agentGroupId = groupMeant(subject, answer)
  if (agentGroupId === undefined || administersOne(grounds, [agentGroupId])) return allow
  return forbid(
    'needs_role',
    'Only admins of the agent group can let it listen in a chat.',
    'Choose a group of yours: signalbox answer ID approve --group NAME',
  )
}

const mayAnswer = rule<CommandOf<'ask.answer'>>(
  `${operator.who}³, reviewers of its risk; admins and owners for administrative asks`,
  (grounds, { answer }) => {
    const { ask, standing } = grounds
    if (ask)
      return (
        answerer(grounds, { ...ask, kind: ask.subject.kind }) ??
        mayBeTyped(grounds) ??
        mayConsent(grounds, ask.subject, answer) ??
        mayChoose(grounds, ask.subject, answer) ??
        mayGrantToGroup(grounds, ask, answer)
      )
    return standing.actor.kind === 'agent'
      ? forbid('agents_never_answer', "Agents can't answer asks; a person must.")
      : allow
  },
)

/** Retracting an approval is like rejecting: people who may answer. */
const mayRetract = rule<CommandOf<'ask.retract'>>(
  `${operator.who}³, reviewers of its risk; admins and owners for administrative asks`,
  (grounds) => {
    const { ask, standing } = grounds
    if (standing.actor.kind === 'agent')
      return forbid('agents_never_answer', "Agents can't answer asks; a person must.")
    return ask ? answerer(grounds, { ...ask, kind: ask.subject.kind }) : allow
  },
)

/** For lists of asks and alerts: whether the viewer may answer or act on an entry. */
export const mayAnswerAsk = (grounds: Grounds, ask: Answerable): boolean =>
  (outright(grounds.standing) ?? answerer(grounds, ask) ?? mayBeTyped(grounds)) === allow
export const mayApproveAsk = (grounds: Grounds, ask: Answerable, subject: AskSubject): boolean =>
  mayAnswerAsk(grounds, ask) &&
  mayConsent(grounds, subject, { outcome: 'approve', always: false, reason: null }) === allow
export const mayNudge = (grounds: Grounds): boolean =>
  (outright(grounds.standing) ?? driving(grounds, undefined)) === allow
export const mayOperate = (grounds: Grounds): boolean =>
  (outright(grounds.standing) ?? operator(grounds, undefined)) === allow

/** Withdrawing or applying an ask: its agent or the operator; admins if it has no session. */
const onAsk = rule(agentOrOperator.who, (grounds) => {
  const { ask } = grounds
  if (!ask) return allow
  if (grounds.standing.actor.kind === 'system') return allow
  if (ask.sessionId === null) return isAdmin(grounds.standing) ? allow : notFound('ask', ask.id)
  const refused = agentOrOperator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
})

/** Only the session's operator may undo what was applied in it, no matter who else approved it. */
const mayUndo = rule(operator.who, (grounds) => {
  const { ask, standing } = grounds
  if (standing.actor.kind === 'agent') return agentsMayNot()
  if (!ask) return allow
  const refused = operator(grounds, undefined)
  return refused?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
})

const mayOpen = rule<CommandOf<'ask.open'>>(agentOrOperator.who, (grounds, { ask }) =>
  ask.sessionId === null ? systemOnly(grounds, undefined) : agentOrOperator(grounds, undefined),
)

const mayGrant = rule<CommandOf<'role.grant' | 'role.revoke'>>(
  'owners, never for themselves; for an agent group, its admins. Everyone can give up their own roles',
  (grounds, command) => {
    if (command.type === 'role.grant' && self(grounds, command.userId))
      return forbid('not_yourself', "You can't grant yourself a role; ask another owner.")
    if (command.type === 'role.revoke' && self(grounds, command.userId)) return allow
    const { agentGroupId } = command
    // The machine right and ownership apply to the whole server, never to one group.
    return agentGroupId === null || command.role !== 'admin'
      ? owners(grounds, command)
      : groupAdmins(grounds, { agentGroupId })
  },
)

/** Only owners may change owners and admins: anyone else with that right could make themselves one. */
const overPerson = rule('admins and owners; only owners, if the person is an admin or owner', (grounds, command) =>
  grounds.user && isGlobalAdmin(grounds.user.grants) ? owners(grounds, command) : admins(grounds, command),
)

const holderOr = (otherwise: PermissionRule): PermissionRule =>
  rule(otherwise === systemOnly ? 'its holder' : `its holder; ${otherwise.who}`, (grounds) =>
    grounds.holder !== undefined && self(grounds, grounds.holder) ? allow : otherwise(grounds, undefined),
  )

const ofUser = ({ userId }: { userId: UserId }): UserId => userId
const oneself = selfOr(systemOnly, ofUser)

/** Only the person themselves. An agent does not count as its person. */
const ownOnly = rule<{ userId: UserId }>(oneself.who, (grounds, command) =>
  grounds.standing.actor.kind === 'agent' ? agentsMayNot() : oneself(grounds, command),
)

/** A command about its sender. */
const forOneself = rule('any person, for themselves', people)

const mayCreateToken = rule<CommandOf<'token.create'>>(
  'the person themselves; for a session, its owner',
  (grounds, command) => {
    const refused = oneself(grounds, command)
    if (refused) return grounds.standing.actor.kind === 'agent' ? agentsMayNot() : refused
    if (command.sessionId === null || grounds.session?.ownerUserId === command.userId) return allow
    // Same answer as for a session that exists but may not be seen.
    if (!grounds.session) return notFound('session', command.sessionId)
    // Delegates may not: the token would outlive their delegation.
    return operator(grounds, command) ?? forbid('not_owner', 'Only the owner of a session can create tokens for it.')
  },
)

const ownPattern = rule('any person, for their own patterns', people)

/** One row per command; a command without a row does not compile. docs/access.md is generated from this table. */
const permissions: { readonly [T in Command['type']]: PermissionRule<CommandOf<T>> } = {
  'session.start': mayStart,
  'session.activate': systemOnly,
  'session.pause': operator,
  'session.resume': operator,
  'session.complete': agentOrOperator,
  'session.cancel': operator,
  'session.fail': agentOrSystem,
  'session.terminate': operator,
  'session.interrupt': agentOrSystem,
  'session.recover': withPlace(agentOrOperator),
  'session.touch': withPlace(agentOrOperator),
  'session.begin_work': withPlace(agentOrOperator),
  'session.end_turn': agentOrOperator,
  'session.connect': systemOnly,
  'session.set_thread': systemOnly,
  'session.alert': systemOnly,
  'session.steer': steering,
  'session.sleep': driving,
  'session.wake': driving,
  'session.awake': systemOnly,
  'session.exit': systemOnly,
  'session.set_mode': agentOrOperator,
  'session.watch': operator,
  'session.rename': operator,
  'session.pin': operator,
  'session.archive': operator,
  'session.rejoin': withPlace(takingUp),
  'session.disallow': operator,
  'session.delegate': lender,
  'session.undelegate': rule("the session's owner; delegates, for themselves", (grounds, { userId }) =>
    self(grounds, userId) ? operator(grounds, undefined) : lender(grounds, undefined),
  ),
  'message.add': rule(agentOrOperator.who, (grounds, { role }) =>
    role === 'user' ? operator(grounds, undefined) : agentOrOperator(grounds, undefined),
  ),
  'queue.add': writing,
  'queue.send': systemOnly,
  'queue.settle': systemOnly,
  'queue.drop': operator,
  // New words are a prompt.
  'queue.change': driving,
  'attachment.add': forOneself,
  'agent.host': systemOnly,
  'agent.record': systemOnly,
  'alert.raise': systemOnly,
  // A nudge is a prompt to the agent.
  'alert.nudge': driving,
  'alert.escalate': systemOnly,
  'alert.dismiss': operator,
  'alert.recover': systemOnly,
  'alert.lapse': systemOnly,
  'ask.open': withPlace(mayOpen),
  'ask.answer': mayAnswer,
  'ask.expire': systemOnly,
  'ask.cancel': onAsk,
  'ask.escalate': systemOnly,
  'ask.claim': rule(`${withPlace(onAsk).who}; for administrative asks Signalbox itself`, (grounds, command) =>
    grounds.ask && isGroupKind(grounds.ask.subject.kind)
      ? systemOnly(grounds, undefined)
      : withPlace(onAsk)(grounds, command),
  ),
  'ask.release': systemOnly,
  'ask.consume': systemOnly,
  'ask.fail': systemOnly,
  'ask.undo': withPlace(mayUndo),
  'ask.retract': mayRetract,
  'user.create': admins,
  'user.rename': selfOr(overPerson, ({ id }) => id),
  'user.remove': overPerson,
  'identity.link': overPerson,
  'identity.unlink': selfOr(overPerson, ofUser),
  'identity.offer': systemOnly,
  'identity.claim': forOneself,
  'identity.offer_own': forOneself,
  'identity.claim_from': overPerson,
  'role.grant': mayGrant,
  'role.revoke': mayGrant,
  'member.add': groupAdmins,
  'member.remove': groupAdmins,
  'token.create': mayCreateToken,
  'token.revoke': holderOr(admins),
  'token.touch': systemOnly,
  'login.offer': selfOr(owners, ofUser),
  'login.redeem': systemOnly,
  'login.end': holderOr(systemOnly),
  'passkey.begin': ownOnly,
  'passkey.add': ownOnly,
  'passkey.rename': holderOr(systemOnly),
  'passkey.remove': holderOr(admins),
  'passkey.challenge': systemOnly,
  'passkey.sign_in': systemOnly,
  'device.ask': systemOnly,
  'device.answer': ownOnly,
  'device.sign_in': systemOnly,
  'repo.register': admins,
  'repo.remove': admins,
  'repo.set_access': admins,
  'checkpoint.record': withFiles(agentOrOperator),
  'checkpoint.note_restored': withFiles(operator),
  'terminal.open': mayOpenTerminal,
  'terminal.advance': systemOnly,
  'terminal.close': systemOnly,
  // A grant outlives a delegation, so a delegate may not give one.
  'terminal.grant': lender,
  'terminal.revoke': operator,
  'input.track': rule("agents with access to the terminal, the session's owner and delegates¹", (grounds) =>
    reaches(grounds) ? allow : agentOrOperator(grounds, undefined),
  ),
  'input.judge': systemOnly,
  'pattern.import': ownOnly,
  // The decision on the pattern checks whose it is.
  'pattern.forget': ownPattern,
  'pattern.confirm': ownPattern,
  'pattern.dismiss': ownPattern,
  'pattern.revoke': ownPattern,
  'policy.propose': systemOnly,
  // A rule answers for everyone in the workspace, not only for the person who confirms it.
  'policy.note_written': admins,
  'policy.accept': admins,
  'policy.trust': admins,
  'policy.untrust': admins,
  'policy.observe': systemOnly,
  'policy.add': admins,
  'policy.confirm': admins,
  'policy.dismiss': admins,
  'policy.revoke': admins,
  'push.add_device': ownOnly,
  'push.remove_device': ownOnly,
  'push.set_settings': ownOnly,
  'agent_group.create': mayCreateGroup,
  'agent_group.update': adminsOfGroup,
  'agent_group.configure': mayConfigure,
  'agent_group.instruct': adminsOfGroup,
  'agent_group.remove': admins,
  'chat.add': admins,
  'chat.update': admins,
  'chat.deny': admins,
  'chat.remove': admins,
  'wiring.add': mayWire,
  'wiring.update': adminsOfWiring,
  'wiring.remove': adminsOfWiring,
  'destination.add': mayAddDestination,
  'destination.remove': groupAdmins,
  'stranger.note': systemOnly,
  'dm.note': systemOnly,
  'instance.add': owners,
  'instance.update': owners,
  'instance.start': owners,
  'instance.stop': owners,
  'instance.remove': owners,
  'schedule.create': mayCreateSchedule,
  'schedule.update': planner,
  'schedule.pause': stopper,
  'schedule.resume': planner,
  'schedule.cancel': stopper,
  'schedule.run_now': planner,
  'schedule.fall_due': systemOnly,
  'schedule.start_run': systemOnly,
  'schedule.skip_run': systemOnly,
  'schedule.end_run': systemOnly,
  'template.add': mayAddTemplate,
  'template.change': holdersOfTemplate,
  'template.remove': holdersOfTemplate,
  'budget.set': admins,
  'budget.remove': admins,
  'credential.grant': systemOnly,
  'credential.revoke': adminsOfCredential,
  'security.report': systemOnly,
}

/** Refuses actors that may not run any command at all. */
export function outright({ actor, unknown }: Standing): Failed | null {
  if (unknown) return fail({ kind: 'unauthenticated', code: 'not_authorised', message: 'Unknown user.' })
  return readOnly(actor)
}

/** Every command, with a description of who may run it. */
export const whoMay: Readonly<Record<Command['type'], string>> = Object.fromEntries(
  Object.entries(permissions).map(([type, { who }]) => [type, who]),
) as Record<Command['type'], string>

export function authorize(grounds: Grounds, command: Command): Failed | null {
  // The type of a command is a key of the table by construction.
  const rule = permissions[command.type] as PermissionRule<Command>
  return outright(grounds.standing) ?? rule(grounds, command)
}
