import type { Executor } from '../../db/open.ts'
import { iso } from '../../lib/clock.ts'
import { notFound, ok } from '../../lib/result.ts'
import { nothingKnown, type AgentAbout } from '../agent/about.ts'
import type { AgentChange } from '../agent/schema.ts'
import { loadAgent } from '../agent/store.ts'
import type { CheckpointId } from '../checkpoint/schema.ts'
import { loadAttachments } from '../attachment/store.ts'
import { loadContainerConfig } from '../agent-group/store-container-config.ts'
import { loadDestinations } from '../chat/store.ts'
import { sessionOfKey } from '../chat/store-sessions.ts'
import { loadCheckpoint } from '../checkpoint/store.ts'
import { headOfQueue } from '../queue/store.ts'
import type { CommandContext } from '../slice/context.ts'
import {
  entryTo,
  sessionFacts,
  sessionGrounds,
  stateOf,
  withWorkplace,
  workplaceOf,
  type Candidate,
} from '../slice/grounds.ts'
import type { LoadedCommand, Slice } from '../slice/slice.ts'
import { actorName, personOf } from '../user/actor.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import { sessionOfToken, sessionsWithToken } from '../user/store-access.ts'
import { strangers } from '../user/store.ts'
import { decideBeginWork } from './decide-begin-work.ts'
import { decidePhase, type HostedFacts, type PhaseCommand } from './decide-phase.ts'
import { decideListing } from './decide-listing.ts'
import { decideMove, decideRejoin, decideSession, decideStart, type SessionState } from './decide.ts'
import type { SessionId } from './id.ts'
import { lineageOf } from './query.ts'
import {
  sessionEvents,
  type ListingCommand,
  type NewSession,
  type ProtocolMode,
  type SessionChange,
  type SessionCommand,
  type SessionOwnChange,
} from './schema.ts'
import { takesSlot } from './status.ts'
import { loadAllowance } from './store-allowances.ts'
import { loadLiveSuccessor, loadSession, projectSession } from './store.ts'

type Made = SessionChange | AgentChange

const slotsStream = (protocol: ProtocolMode) => `slots:${protocol}`

/** Sessions of one owner that change status at once write the same totals; without one stream they could deadlock. */
export const tallyStream = (owner: UserId): string => `tally:${owner}`

async function movingStreams(db: Executor, id: SessionId): Promise<string[]> {
  const session = await loadSession(db, id)
  return session ? [id, tallyStream(session.ownerUserId)] : [id]
}

/** Refused once the owner may no longer use the session's workspace. */
const inWorkspace: ReadonlySet<SessionCommand['type']> = new Set([
  'session.recover',
  'session.touch',
  'session.begin_work',
  'session.rejoin',
  'session.steer',
  'session.sleep',
  'session.wake',
])

export const sessionSlice: Slice<SessionCommand, SessionOwnChange, Made> = {
  events: { ...sessionEvents, 'session.touched': 'tables' },

  async streams(db, command) {
    if (command.type === 'session.start') {
      const { id, protocolMode, ownerUserId } = command.session
      const before = command.restartOf === null ? [] : await movingStreams(db, command.restartOf)
      return [id, slotsStream(protocolMode), tallyStream(ownerUserId), ...before]
    }
    if (command.type === 'session.rejoin')
      return [...(await movingStreams(db, command.id)), command.to, slotsStream('mcp')]
    if (command.type === 'session.begin_work') return [...(await movingStreams(db, command.id)), slotsStream('mcp')]
    if (command.type === 'session.recover') {
      const session = await loadSession(db, command.id)
      const moving = await movingStreams(db, command.id)
      return session ? [...moving, slotsStream(session.protocolMode)] : moving
    }
    if (isPhase(command)) return [...(await movingStreams(db, command.id)), slotsStream('acp')]
    return 'reason' in command ? movingStreams(db, command.id) : [command.id]
  },

  async load(db, command, context) {
    if (command.type === 'session.start') return loadStart(db, command, context)
    const found = await sessionGrounds(db, command.id, context)
    const placed = inWorkspace.has(command.type) ? await withWorkplace(db, found, context) : found
    const grounds =
      command.type === 'session.rejoin' ? { ...placed, candidate: await candidateOf(db, command, context) } : placed
    return {
      grounds,
      async decide() {
        if (command.type === 'session.delegate' && (await strangers(db, [command.userId])).length > 0)
          return notFound('user', command.userId)
        if (command.type === 'session.disallow') {
          const { id, allowanceId } = command
          const allowance = await loadAllowance(db, id, allowanceId)
          if (!allowance) return notFound('allowance', allowanceId)
          const by = actorName(context.standing.actor)
          return ok(allowance.revokedAt === null ? [{ type: 'session.disallowed', data: { id, allowanceId, by } }] : [])
        }
        if (isPhase(command)) {
          const state = await stateOf(db, grounds)
          const found = state && grounds.session ? { ...grounds.session, ...state } : undefined
          const hosted = found && (await hostedFacts(db, found.id, context))
          return decidePhase(found, hosted, command, await sessionFacts(db, 'acp', context))
        }
        if (isListing(command)) return decideListing(grounds.session, command)
        if (command.type === 'session.begin_work')
          return decideBeginWork(await stateOf(db, grounds), command, await sessionFacts(db, 'mcp', context))
        // Agents do this with every call: it must not count all sessions, as a change of status does.
        if (command.type !== 'session.rejoin' && !('reason' in command))
          return decideSession(grounds.session, command, context)
        const state = await stateOf(db, grounds)
        if (command.type === 'session.rejoin') {
          const target = await stateOf(db, await sessionGrounds(db, command.to, context))
          return decideRejoin(state, target, command, await sessionFacts(db, 'mcp', context))
        }
        return decideMove(state, command, await sessionFacts(db, state?.protocolMode ?? 'mcp', context))
      },
    }
  },

  project: projectSession,

  audience(change) {
    if (change.type !== 'session.started') return { session: change.data.id }
    return { started: change.data.id, owner: change.data.ownerUserId, group: change.body.agentGroupId }
  },

  subject: (command) => (command.type === 'session.start' ? command.session.id : command.id),
}

const isListing = (command: SessionCommand): command is ListingCommand => listing.has(command.type)
const listing: ReadonlySet<string> = new Set<ListingCommand['type']>([
  'session.rename',
  'session.pin',
  'session.archive',
])

const isPhase = (command: SessionCommand): command is PhaseCommand => phases.has(command.type)
const phases: ReadonlySet<string> = new Set<PhaseCommand['type']>([
  'session.sleep',
  'session.wake',
  'session.awake',
  'session.exit',
])

async function hostedFacts(
  db: Executor,
  id: SessionId,
  { settings }: CommandContext,
): Promise<HostedFacts | undefined> {
  const agent = await loadAgent(db, id)
  if (!agent) return undefined
  const { sent, next } = await headOfQueue(db, id)
  const { crashes, crashedAt } = agent
  const about = { ...nothingKnown, ...(agent.about as Partial<AgentAbout>) }
  return { about, crashes, crashedAt, sent, waiting: next !== undefined, restartAll: settings.restartOnCrash ?? false }
}

async function candidateOf(
  db: Executor,
  { id, to }: Extract<SessionCommand, { type: 'session.rejoin' }>,
  { standing: { actor }, now }: CommandContext,
): Promise<Candidate | undefined> {
  const session = await loadSession(db, to)
  if (!session) return undefined
  const tokenId = actor.kind === 'agent' ? actor.tokenId : null
  return {
    session,
    related: (await lineageOf(db, id)).includes(to),
    hasToken: (await sessionsWithToken(db, [to], iso(now))).length > 0,
    callerIsBound: tokenId !== null && (await sessionOfToken(db, tokenId)) !== null,
  }
}

async function loadStart(
  db: Executor,
  command: Extract<SessionCommand, { type: 'session.start' }>,
  context: CommandContext,
): Promise<LoadedCommand<Made>> {
  const continued = await sessionGrounds(db, command.restartOf, context)
  const { agentGroupId, messagingGroupId, sentBy } = command.session
  const entry = async () => {
    if (agentGroupId === null) return undefined
    const sent = sentBy !== undefined && (await isSentBy(db, sentBy, agentGroupId, command.session.ownerUserId))
    return sent ? ('known' as const) : entryTo(db, context.standing, agentGroupId, messagingGroupId)
  }
  const grounds = {
    ...continued,
    entry: await entry(),
    config: agentGroupId === null ? undefined : await loadContainerConfig(db, agentGroupId),
    workspace: await workplaceOf(db, command.session, context),
    forked: command.forkOf === undefined ? undefined : await loadSession(db, command.forkOf),
  }
  return {
    grounds,
    async decide() {
      const existing = await stateOf(db, await sessionGrounds(db, command.session.id, context))
      const facts = {
        ...(await sessionFacts(db, command.session.protocolMode, context)),
        inThread: await liveInThread(db, command.session),
      }
      const before = await stateOf(db, grounds)
      const predecessor = before && {
        ...before,
        liveSuccessor: await loadLiveSuccessor(db, before.id),
        queued: (await headOfQueue(db, before.id)).next !== undefined,
      }
      const from =
        command.fromCheckpoint === undefined ? undefined : await startingPoint(db, command.fromCheckpoint, before)
      if (from === null) return notFound('checkpoint', command.fromCheckpoint ?? '')
      const uploads = {
        found: await loadAttachments(db, command.attachments ?? []),
        sender: personOf(context.standing.actor),
      }
      const decided = decideStart(existing, predecessor, command, facts, from, uploads)
      if (!decided.ok || command.hostedBy === undefined) return decided
      const { hostedBy: nodeId, childId = null, queued } = command
      const hosted: AgentChange = {
        type: 'agent.hosted',
        data: { id: command.session.id, nodeId, childId },
        ...(queued && { body: queued }),
      }
      return ok([...decided.value, hosted])
    },
  }
}

/** The destination is the permission (C6). The owner of the sending session owns what it starts. */
async function isSentBy(db: Executor, id: SessionId, to: AgentGroupId, owner: UserId): Promise<boolean> {
  const sender = await loadSession(db, id)
  if (!sender || sender.agentGroupId === null || sender.ownerUserId !== owner || !takesSlot(sender.status)) return false
  const destinations = await loadDestinations(db, sender.agentGroupId)
  return destinations.some(({ targetType, targetId }) => targetType === 'agent' && targetId === to)
}

async function liveInThread(db: Executor, session: NewSession): Promise<SessionId | null> {
  const { agentGroupId, messagingGroupId, threadId, sessionMode } = session
  if (agentGroupId === null || (messagingGroupId === null && sessionMode !== 'agent-shared')) return null
  const key = { mode: sessionMode ?? 'shared', chatId: messagingGroupId, threadId }
  const found = await sessionOfKey(db, agentGroupId, key)
  return found && takesSlot(found.status) ? found.id : null
}

/** Null unless the checkpoint belongs to the same lineage. */
async function startingPoint(db: Executor, id: CheckpointId, before: SessionState | undefined) {
  const found = await loadCheckpoint(db, id)
  if (!found || !before || !(await lineageOf(db, before.id)).includes(found.sessionId)) return null
  const { queue } = found.sessionState
  const uploads = await loadAttachments(db, [
    ...new Set(queue.flatMap(({ attachments = [] }) => attachments.map((file) => file.id))),
  ])
  const kept = new Set(uploads.map((upload) => upload.id))
  return {
    progress: found.progressSnapshot,
    queue: queue.map(({ text, when, links = [], attachments = [] }) => ({
      text,
      when,
      links,
      attachments: attachments.filter((file) => kept.has(file.id)),
    })),
  }
}
