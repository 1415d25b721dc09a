import { decideAgent } from '../domain/agent/decide.ts'
import type { AgentCommand } from '../domain/agent/schema.ts'
import { decideAlert } from '../domain/alert/decide.ts'
import type { AlertCommand, StallSettings } from '../domain/alert/schema.ts'
import { loadAlertFacts, sessionOfAlert } from '../domain/alert/store.ts'
import { decideAsk, decideAskOpen, isSoleApproval, type AskTimeouts, type RiskRouting } from '../domain/ask/decide.ts'
import type { AskCommand, RiskLevel } from '../domain/ask/schema.ts'
import { loadAsk } from '../domain/ask/store.ts'
import { decideCheckpoint } from '../domain/checkpoint/decide.ts'
import type { CheckpointCommand, CheckpointId } from '../domain/checkpoint/schema.ts'
import { loadCheckpoint, loadCheckpointed } from '../domain/checkpoint/store.ts'
import { decideMessage } from '../domain/message/decide.ts'
import type { MessageCommand, MessageId } from '../domain/message/schema.ts'
import { knownMessages } from '../domain/message/store.ts'
import { decidePolicy, decidePolicyFile, isFileCommand } from '../domain/policy/decide.ts'
import type { PolicyCommand } from '../domain/policy/schema.ts'
import { loadRule, loadSameRules } from '../domain/policy/store.ts'
import { loadObserved, trustOf } from '../domain/policy/store-trust.ts'
import { isRegistered } from '../domain/policy/registered.ts'
import { decidePush } from '../domain/push/decide.ts'
import type { PushCommand } from '../domain/push/schema.ts'
import { loadPushFacts } from '../domain/push/store.ts'
import { decideQueue } from '../domain/queue/decide.ts'
import type { QueueCommand } from '../domain/queue/schema.ts'
import { headOfQueue, loadQueueItem } from '../domain/queue/store.ts'
import { decideRejoin, decideSession, decideStart, signOfLife, type SessionState } from '../domain/session/decide.ts'
import type { SessionId } from '../domain/session/id.ts'
import { lineageOf } from '../domain/session/query.ts'
import type { ProtocolMode, SessionChange, SessionCommand } from '../domain/session/schema.ts'
import { loadLiveSuccessor, loadOpenAsks, loadSession } from '../domain/session/store.ts'
import { streamsOfPattern } from '../domain/pattern/store.ts'
import { actorName, personOf, type Standing } from '../domain/user/actor.ts'
import { decideAccess } from '../domain/user/decide-access.ts'
import { decideClaim, decideUser } from '../domain/user/decide.ts'
import type { AccessCommand, UserCommand, UserId } from '../domain/user/schema.ts'
import { listNames } from '../domain/user/query.ts'
import { countOwners, groupExists, holderOf, loadOffer, loadUser, ownerNames } from '../domain/user/store.ts'
import { loadAccess } from '../domain/user/store-access.ts'
import { decideRepo } from '../domain/workspace/decide.ts'
import type { RepoCommand } from '../domain/workspace/schema.ts'
import { loadRepos } from '../domain/workspace/store.ts'
import type { Executor } from '../db/open.ts'
import { iso } from '../lib/clock.ts'
import { notFound, ok, type Result } from '../lib/result.ts'
import { authorize, type Grounds } from './authorize.ts'
import { groundsOf, sessionFacts, sessionGrounds, stateOf, withWorkplace, workplaceOf } from './grounds.ts'
import { pattern, terminal } from './registry-terminal.ts'
import { whomToAsk } from './rules-machine.ts'
import { isOf, type Change, type Command } from './command.ts'

/** The part of the configuration that decisions depend on. */
export type Settings = {
  readonly timeouts: AskTimeouts
  readonly limits: Readonly<Record<ProtocolMode, number>>
  readonly adminsMayAnswer: boolean
  readonly stall: StallSettings
  /** Workspaces that the configuration names, links resolved. */
  readonly vouched: readonly string[]
  /** The texts of `[commands]`. */
  readonly commands?: readonly string[]
  /** How many people asks of a risk need, and who may answer them beside the owner, by what they are known as (B4). */
  readonly routing?: Readonly<Record<RiskLevel, { readonly needed: number; readonly reviewers: readonly string[] }>>
}

/** What a command is decided with, beside what it loads. */
export type Context = {
  readonly now: number
  readonly standing: Standing
  readonly settings: Settings
  readonly noteId: MessageId
  /** The policy's rule that answers an ask that is opened, if one does. */
  readonly rule: string | null
  /** What the workspace of a session that starts is now. */
  readonly workspaceMark?: string | null
}

const slotsStream = (protocol: ProtocolMode) => `slots:${protocol}`
const peopleStream = 'people'

/** Sessions of one owner that change their status at once write the same totals; crosswise they would block each other. */
const tallyStream = (owner: UserId) => `tally:${owner}`

async function movingStreams(db: Executor, id: SessionId): Promise<string[]> {
  const session = await loadSession(db, id)
  return session ? [id, tallyStream(session.ownerUserId)] : [id]
}

/** Whose commands must wait for each other; taken as locks before anything is written. */
export async function streamsOf(db: Executor, command: Command): Promise<readonly string[]> {
  if (command.type === 'session.start') {
    const { id, protocolMode, ownerUserId } = command.session
    const before = command.restartOf === null ? [] : await movingStreams(db, command.restartOf)
    return [id, slotsStream(protocolMode), tallyStream(ownerUserId), ...before]
  }
  if (command.type === 'session.rejoin')
    return [...(await movingStreams(db, command.id)), command.to, slotsStream('mcp')]
  if (command.type === 'session.recover') {
    const session = await loadSession(db, command.id)
    const moving = await movingStreams(db, command.id)
    return session ? [...moving, slotsStream(session.protocolMode)] : moving
  }
  if (isOf(command, 'session')) return 'reason' in command ? movingStreams(db, command.id) : [command.id]
  if (isOf(command, 'agent')) return [command.id]
  if (isOf(command, 'message', 'queue')) return [command.sessionId]
  if (isOf(command, 'alert')) return [(await sessionOfAlert(db, command)) ?? command.id]
  if (command.type === 'ask.open') return [command.ask.sessionId ?? command.ask.id]
  if (isOf(command, 'ask')) return [(await loadAsk(db, command.id))?.sessionId ?? command.id]
  // Few and rare: one line for all of them keeps "the last owner stays" exact.
  if (isOf(command, 'user', 'identity', 'role', 'member')) return [peopleStream]
  if (isOf(command, 'repo')) return ['repos']
  if (isOf(command, 'checkpoint')) return [command.sessionId]
  if (command.type === 'terminal.open') return [command.session.id, tallyStream(command.session.ownerUserId)]
  if (isOf(command, 'terminal')) return [command.id]
  if (isOf(command, 'input', 'pattern')) return streamsOfPattern(db, command)
  if (isOf(command, 'policy')) return ['policy']
  // One browser may go from one person to another.
  if (isOf(command, 'push')) return ['push']
  if (isOf(command, 'security')) return ['security']
  switch (command.type) {
    case 'token.create':
    case 'login.offer':
      return [command.userId]
    case 'token.revoke':
    case 'token.touch':
      return [command.id]
    case 'login.redeem':
      return [command.linkHash]
    case 'login.end':
      return [command.cookieHash]
    default:
      return command satisfies never
  }
}

/** load → authorize → decide; nothing is written yet. */
export async function decideCommand(db: Executor, command: Command, context: Context): Promise<Result<Change[]>> {
  const decided = await decideFamily(db, command, context)
  if (decided.ok || decided.fault.code !== 'needs_machine') return decided
  const id = personOf(context.standing.actor)
  const name = id === null ? undefined : (await listNames(db)).find((one) => one.id === id)?.displayName
  return whomToAsk(decided, await ownerNames(db), name ?? 'NAME')
}

function decideFamily(db: Executor, command: Command, context: Context): Promise<Result<Change[]>> {
  if (isOf(command, 'session')) return session(db, command, context)
  if (isOf(command, 'message')) return addMessage(db, command, context)
  if (isOf(command, 'queue')) return queue(db, command, context)
  if (isOf(command, 'agent')) return agent(db, command, context)
  if (isOf(command, 'alert')) return alert(db, command, context)
  if (isOf(command, 'ask')) return ask(db, command, context)
  if (isOf(command, 'user', 'identity', 'role', 'member')) return user(db, command, context)
  if (isOf(command, 'token', 'login')) return access(db, command, context)
  if (isOf(command, 'repo')) return repo(db, command, context)
  if (isOf(command, 'checkpoint')) return checkpoint(db, command, context)
  if (isOf(command, 'terminal')) return terminal(db, command, context)
  if (isOf(command, 'input', 'pattern')) return pattern(db, command, context)
  if (isOf(command, 'policy')) return policy(db, command, context)
  if (isOf(command, 'push')) return push(db, command, context)
  if (isOf(command, 'security')) return security(command, context)
  return command satisfies never
}

async function session(db: Executor, command: SessionCommand, context: Context): Promise<Result<Change[]>> {
  if (command.type === 'session.start') return startSession(db, command, context)
  const found = await sessionGrounds(db, command.id, context)
  const grounds = await withWorkplace(db, found, command, context)
  const refused = authorize(grounds, command)
  if (refused) return refused
  if (command.type === 'session.delegate' && (await strangers(db, [command.userId])).length > 0)
    return notFound('user', command.userId)
  const state = await stateOf(db, grounds)
  if (command.type === 'session.rejoin') {
    const target = await stateOf(db, await sessionGrounds(db, command.to, context))
    return decideRejoin(state, target, command, await sessionFacts(db, 'mcp', context))
  }
  return decideSession(state, command, await sessionFacts(db, state?.protocolMode ?? 'mcp', context))
}

async function startSession(
  db: Executor,
  command: Extract<SessionCommand, { type: 'session.start' }>,
  context: Context,
): Promise<Result<Change[]>> {
  const continued = await sessionGrounds(db, command.restartOf, context)
  const grounds = { ...continued, workspace: await workplaceOf(db, command.session, context) }
  const refused = authorize(grounds, command)
  if (refused) return refused
  const existing = await stateOf(db, await sessionGrounds(db, command.session.id, context))
  const facts = await sessionFacts(db, command.session.protocolMode, context)
  const before = await stateOf(db, grounds)
  const predecessor = before && {
    ...before,
    liveSuccessor: await loadLiveSuccessor(db, before.id),
    queued: (await headOfQueue(db, before.id)).next !== undefined,
  }
  const from =
    command.fromCheckpoint === undefined ? undefined : await startingPoint(db, command.fromCheckpoint, before)
  if (from === null) return notFound('checkpoint', command.fromCheckpoint ?? '')
  const decided = decideStart(existing, predecessor, command, facts, from)
  if (!decided.ok || command.hostedBy === undefined) return decided
  return ok([...decided.value, { type: 'agent.hosted', data: { id: command.session.id, nodeId: command.hostedBy } }])
}

/** Null where it is no checkpoint of the lineage that goes on. */
async function startingPoint(db: Executor, id: CheckpointId, before: SessionState | undefined) {
  const found = await loadCheckpoint(db, id)
  if (!found || !before || !(await lineageOf(db, before.id)).includes(found.sessionId)) return null
  return { progress: found.progressSnapshot, queue: found.sessionState.queue }
}

/** Whatever an agent does is a sign of life (R5). */
function withLife(
  grounds: Grounds,
  moment: { now: number; noteId: MessageId },
  changes: Result<SessionChange[]>,
  tool: string | null = null,
): Result<SessionChange[]> {
  const { session: found, standing } = grounds
  if (!changes.ok || !found || standing.actor.kind !== 'agent') return changes
  return ok([...changes.value, ...signOfLife(found, tool, moment)])
}

async function addMessage(db: Executor, command: MessageCommand, context: Context): Promise<Result<Change[]>> {
  const grounds = await sessionGrounds(db, command.sessionId, context)
  return authorize(grounds, command) ?? withLife(grounds, context, decideMessage(grounds.session, command))
}

async function queue(db: Executor, command: QueueCommand, context: Context): Promise<Result<Change[]>> {
  const known = await sessionGrounds(db, command.sessionId, context)
  const grounds = await withWorkplace(db, known, command, context)
  const refused = authorize(grounds, command)
  if (refused) return refused
  const { session: found } = grounds
  const open = found && command.type === 'queue.add' ? await loadOpenAsks(db, found.id) : []
  const state = found && { ...found, openWait: open.find(({ kind }) => kind === 'wait')?.id ?? null }
  const facts = { by: actorName(context.standing.actor), noteId: context.noteId }
  return decideQueue(state, await loadQueueItem(db, command.id), command, facts)
}

async function agent(db: Executor, command: AgentCommand, context: Context): Promise<Result<Change[]>> {
  const grounds = await sessionGrounds(db, command.id, context)
  const refused = authorize(grounds, command)
  if (refused) return refused
  const written = command.type === 'agent.record' ? command.writes.map(({ id }) => id) : []
  return decideAgent(await stateOf(db, grounds), await knownMessages(db, written), command, context)
}

async function ask(db: Executor, command: AskCommand, context: Context): Promise<Result<Change[]>> {
  const found = await loadAsk(db, command.type === 'ask.open' ? command.ask.id : command.id)
  const sessionId = command.type === 'ask.open' ? command.ask.sessionId : (found?.sessionId ?? null)
  // Whoever continues a session applies what it was granted.
  const lineage = command.type === 'ask.claim' && sessionId !== null ? await lineageOf(db, sessionId) : []
  const session = await withWorkplace(db, await sessionGrounds(db, sessionId, context), command, context)
  const grounds: Grounds = { ...session, ask: found, lineage }
  const refused = authorize(grounds, command)
  if (refused) return refused
  const { actor } = context.standing
  const { timeouts } = context.settings
  const facts = {
    now: context.now,
    by: actorName(actor),
    voter: actor.kind === 'person' ? actor.userId : null,
    bySystem: actor.kind === 'system',
    unknownAnswerers: command.type === 'ask.open' ? await strangers(db, command.ask.answerers ?? []) : [],
    timeouts,
    routing: command.type === 'ask.open' ? await routingOf(db, context.settings) : nobodyElse,
    rule: context.rule,
    registered:
      command.type === 'ask.open' &&
      isRegistered(command.ask.subject, context.settings.commands ?? [], grounds.session?.workspaceRoot ?? '/'),
    noteId: context.noteId,
  }
  if (command.type !== 'ask.open') return withLife(grounds, context, decideAsk(found, command, facts))
  const open = grounds.session ? await loadOpenAsks(db, grounds.session.id) : []
  const sole = open.find(({ origin }) => isSoleApproval(origin))
  const waits = grounds.session && command.ask.subject.kind === 'wait'
  const asker = grounds.session && {
    status: grounds.session.status,
    workspaceRoot: grounds.session.workspaceRoot,
    ownerUserId: grounds.session.ownerUserId,
    openApproval: sole?.id ?? null,
    instruction: waits ? ((await headOfQueue(db, grounds.session.id)).next ?? null) : null,
  }
  return withLife(grounds, context, decideAskOpen(found, asker, command, facts), command.tool ?? null)
}

/** People by what they are known as; somebody nobody knows answers nothing. */
async function routingOf(db: Executor, { routing }: Settings): Promise<RiskRouting> {
  if (!routing) return nobodyElse
  const found: Record<RiskLevel, { needed: number; reviewers: UserId[] }> = { ...nobodyElse }
  for (const risk of ['low', 'high', 'critical'] as const) {
    const { needed, reviewers } = routing[risk]
    const known = await Promise.all(reviewers.map((identity) => holderOf(db, [identity])))
    found[risk] = { needed, reviewers: known.filter((id) => id !== null) }
  }
  return found
}
const alone = { needed: 1, reviewers: [] }
const nobodyElse = { low: alone, high: alone, critical: alone }

async function alert(db: Executor, command: AlertCommand, context: Context): Promise<Result<Change[]>> {
  const facts = await loadAlertFacts(db, command)
  const found = await sessionGrounds(db, facts.session?.id ?? null, context)
  const grounds = await withWorkplace(db, found, command, context)
  const refused = authorize(grounds, command)
  // Whose session one may not see, of their alerts one learns nothing either.
  if (refused) return refused.fault.kind === 'not_found' ? notFound('alert', command.id) : refused
  const { actor } = context.standing
  const { now, noteId, settings } = context
  const automatic = actor.kind === 'system'
  return decideAlert(facts, command, { now, by: actorName(actor), automatic, noteId, rules: settings.stall })
}

/** Those of these people who are not here. */
async function strangers(db: Executor, ids: readonly UserId[]): Promise<UserId[]> {
  const unknown: UserId[] = []
  for (const id of ids) {
    const found = await loadUser(db, id)
    if (!found || found.removed) unknown.push(id)
  }
  return unknown
}

async function user(db: Executor, command: UserCommand, context: Context): Promise<Result<Change[]>> {
  const by = personOf(context.standing.actor)
  if (command.type === 'identity.claim') {
    const identityHolder = await holderOf(db, [command.identity])
    const holder = identityHolder === null ? undefined : await loadUser(db, identityHolder)
    const refused = authorize({ ...groundsOf(context), user: holder }, command)
    if (refused) return refused
    return decideClaim(await loadOffer(db, command.codeHash, iso(context.now)), command, { identityHolder })
  }
  const found = await loadUser(db, 'userId' in command ? command.userId : command.id)
  const refused = authorize({ ...groundsOf(context), user: found }, command)
  if (refused) return refused
  const identities = 'identities' in command ? command.identities : 'identity' in command ? [command.identity] : []
  return decideUser(found, command, {
    by,
    owners: await countOwners(db),
    identityHolder: await holderOf(db, identities),
    groupExists: await groupExists(db, 'agentGroupId' in command ? command.agentGroupId : null),
  })
}

async function access(db: Executor, command: AccessCommand, context: Context): Promise<Result<Change[]>> {
  const state = await loadAccess(db, command, iso(context.now))
  const sessionId = command.type === 'token.create' ? command.sessionId : null
  const grounds = await sessionGrounds(db, sessionId, context)
  if (sessionId !== null && !grounds.session) return notFound('session', sessionId)
  const holder = state.token?.userId ?? state.cookie?.userId
  return authorize({ ...grounds, holder }, command) ?? decideAccess(state, command)
}

async function repo(db: Executor, command: RepoCommand, context: Context): Promise<Result<Change[]>> {
  const refused = authorize(groundsOf(context), command)
  if (refused) return refused
  const named = command.type === 'repo.set_access' ? command : { users: [], agentGroups: [] }
  const known = await Promise.all(named.agentGroups.map((group) => groupExists(db, group)))
  const unknown = {
    users: await strangers(db, named.users),
    agentGroups: named.agentGroups.filter((_group, index) => !known[index]),
  }
  return decideRepo(await loadRepos(db, command), command, personOf(context.standing.actor), unknown)
}

async function checkpoint(db: Executor, command: CheckpointCommand, context: Context): Promise<Result<Change[]>> {
  const known = await sessionGrounds(db, command.sessionId, context)
  const grounds = await withWorkplace(db, known, command, context)
  const refused = authorize(grounds, command)
  if (refused) return refused
  const session = await loadCheckpointed(db, command.sessionId)
  return decideCheckpoint(session, await loadCheckpoint(db, command.id), command)
}

async function policy(db: Executor, command: PolicyCommand, context: Context): Promise<Result<Change[]>> {
  const refused = authorize(groundsOf(context), command)
  if (refused) return refused
  const by = actorName(context.standing.actor)
  if (isFileCommand(command)) {
    const trust = command.type === 'policy.untrust' ? await trustOf(db, command.workspaceRoot, []) : null
    return decidePolicyFile(command, await loadObserved(db, command.workspaceRoot), trust?.kind === 'person', by)
  }
  const same = command.type === 'policy.propose' ? await loadSameRules(db, command.workspaceRoot, command.rule) : []
  return decidePolicy(await loadRule(db, command.id), same, command, by)
}

async function push(db: Executor, command: PushCommand, context: Context): Promise<Result<Change[]>> {
  return authorize(groundsOf(context), command) ?? decidePush(await loadPushFacts(db, command), command)
}

async function security(
  command: Extract<Command, { type: 'security.report' }>,
  context: Context,
): Promise<Result<Change[]>> {
  const { what, detail } = command
  return authorize(groundsOf(context), command) ?? ok([{ type: 'security.reported', data: { what, detail } }])
}
