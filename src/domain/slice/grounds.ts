import type { Executor } from '../../db/open.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { ContainerConfig } from '../agent-group/container-config.ts'
import { loadGroup } from '../agent-group/store.ts'
import type { LoadedAsk } from '../ask/store.ts'
import { isGroupKind } from '../ask/kinds.ts'
import { accessOf, isInScope, type Access } from '../chat/access.ts'
import type { MessagingGroupId, SessionMode, WiringId } from '../chat/id.ts'
import { hasPublicChat, loadWiring } from '../chat/store.ts'
import type { MessageId } from '../message/schema.ts'
import { signOfLife, type SessionFacts, type SessionState } from '../session/decide.ts'
import type { SessionId } from '../session/id.ts'
import { lineageOf } from '../session/query.ts'
import type { ProtocolMode, SessionChange } from '../session/schema.ts'
import {
  countContainers,
  countSlots,
  loadDelegates,
  loadOpenAsks,
  loadSession,
  type LoadedSession,
} from '../session/store.ts'
import { loadGrants, loadTerminal } from '../terminal/store.ts'
import { actorName, holdingsOf, personOf, type Holdings, type Standing } from '../user/actor.ts'
import { holdsMachine, type UserState } from '../user/decide.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import { loadHoldings } from '../user/store.ts'
import { mayUseRepo } from '../workspace/decide.ts'
import type { RepoId } from '../workspace/id.ts'
import { repoOfWorkspace } from '../workspace/store.ts'
import type { CommandContext } from './context.ts'

/** What a permission check depends on: the caller, and the data loaded for the command. */
export type Grounds = {
  readonly standing: Standing
  readonly adminsMayAnswer: boolean
  readonly separateRequester?: boolean | undefined
  readonly session?: (LoadedSession & { delegates: readonly UserId[] }) | undefined
  /** Where the session works, or will work. */
  readonly workspace?: Workplace | undefined
  /** Sessions whose agents may reach this terminal, because they started it or were granted it. */
  readonly reachedBy?: readonly SessionId[] | undefined
  readonly ask?: LoadedAsk | undefined
  /** The sessions it continues, and those that continue it. */
  readonly lineage?: readonly SessionId[] | undefined
  readonly user?: UserState | undefined
  /** The person a token, login or link belongs to. */
  readonly holder?: UserId | undefined
  /** The session whose conversation is copied. */
  readonly forked?: LoadedSession | undefined
  /** The session an agent wants to continue with. */
  readonly candidate?: Candidate | undefined
  /** The agent groups that listen in the chat a command leads to. */
  readonly listeners?: readonly AgentGroupId[] | undefined
  /** The wiring a command is about. */
  readonly wiring?: { readonly agentGroupId: AgentGroupId } | undefined
  /** The schedule a command is about, and whether the calling agent may act on it. */
  readonly schedule?:
    | {
        readonly id: string
        readonly ownerUserId: UserId
        readonly agentGroupId: AgentGroupId | null
        readonly ofAgent: boolean
      }
    | undefined
  /** The template of prompts a command is about. */
  readonly template?: { readonly ownerUserId: UserId | null; readonly agentGroupId: AgentGroupId | null } | undefined
  /** The credential a command is about. */
  readonly credential?: { readonly agentGroupId: AgentGroupId } | undefined
  /** How the caller gets in from a chat: as one of the agent group's people, or because the chat is public. */
  readonly entry?: Access | undefined
  /** How the agent group of a command or of a new session runs now. */
  readonly config?: ContainerConfig | undefined
}

export type Candidate = {
  readonly session: LoadedSession
  /** It continues the agent's own session, or the other way round. */
  readonly related: boolean
  /** A valid token was created for it. */
  readonly hasToken: boolean
  /** The caller's token is bound to one session. */
  readonly callerIsBound: boolean
}

/** A workspace, as seen by the owner of the session that uses it. */
export type Workplace = {
  /** A registered repo. */
  readonly isRepo: boolean
  /** The owner may use that repo. */
  readonly mayUse: boolean
  /** A person approved it: in the configuration, or as a repo. */
  readonly vouched: boolean
  /** The owner may run programs as the server's user, and so work anywhere. */
  readonly ownerHasMachine: boolean
}

export const groundsOf = ({ standing, settings }: CommandContext): Grounds => ({
  standing,
  adminsMayAnswer: settings.adminsMayAnswer,
  separateRequester: settings.separateRequester,
})

export async function sessionGrounds(db: Executor, id: SessionId | null, context: CommandContext): Promise<Grounds> {
  const found = id === null ? undefined : await loadSession(db, id)
  if (!found) return groundsOf(context)
  return { ...groundsOf(context), session: { ...found, delegates: await loadDelegates(db, found.id) } }
}

/** Adds the workspace and who reaches the session; for commands refused once its owner may not work there. */
export async function withWorkplace(db: Executor, grounds: Grounds, context: CommandContext): Promise<Grounds> {
  const { session, standing } = grounds
  if (!session || standing.actor.kind === 'system') return grounds
  return {
    ...grounds,
    workspace: await workplaceOf(db, session, context),
    reachedBy: session.protocolMode === 'terminal' ? await reachedBy(db, session.id) : [],
  }
}

type WorkingPlace = {
  readonly ownerUserId: UserId
  readonly repoId: RepoId | null
  readonly workspaceRoot: string
  readonly agentGroupId?: AgentGroupId | null
  readonly messagingGroupId?: MessagingGroupId | null
  readonly sessionMode?: SessionMode | null | undefined
}

/** Whether a session of an agent group works in the group's own folder. */
async function isFolderOf(
  db: Executor,
  { agentGroupId, workspaceRoot }: WorkingPlace,
  root: string | undefined,
): Promise<boolean> {
  if (!agentGroupId || root === undefined) return false
  const group = await loadGroup(db, agentGroupId)
  return group?.removedAt === null && workspaceRoot === `${root}/${group.folder}`
}

/** The group's people, and those who are let in without being one of them. */
async function mayUseFolder(
  db: Executor,
  { agentGroupId, messagingGroupId, sessionMode }: WorkingPlace,
  owner: Holdings,
): Promise<boolean> {
  if (!agentGroupId) return false
  // Another agent wrote to it: its destination is the permission (C6).
  if (sessionMode === 'agent-shared' && !messagingGroupId) return true
  const isPublic = await hasPublicChat(db, agentGroupId, messagingGroupId ?? null)
  return accessOf(owner, agentGroupId, isPublic ? 'public' : 'strict') !== 'unknown'
}

export async function workplaceOf(
  db: Executor,
  place: WorkingPlace,
  { settings, standing }: Pick<CommandContext, 'settings' | 'standing'>,
): Promise<Workplace> {
  const repo = await repoOfWorkspace(db, place)
  const isOwners = personOf(standing.actor) === place.ownerUserId && !standing.unknown
  const owner = isOwners ? holdingsOf(standing) : await loadHoldings(db, place.ownerUserId)
  const isFolder = repo === undefined && (await isFolderOf(db, place, settings.groupsRoot))
  const inFolder = isFolder && owner !== null && (await mayUseFolder(db, place, owner))
  return {
    isRepo: repo !== undefined,
    mayUse: inFolder || (owner !== null && repo !== undefined && mayUseRepo(place.ownerUserId, owner, repo.access)),
    vouched: repo !== undefined || isFolder || settings.vouched.includes(place.workspaceRoot),
    ownerHasMachine: owner !== null && holdsMachine(owner.grants),
  }
}

/** Sessions whose agents may act on a terminal: the lineages of its starter and of those granted it. */
export async function reachedBy(db: Executor, id: SessionId): Promise<SessionId[]> {
  const row = await loadTerminal(db, id)
  const starters = row?.started_by ? await lineageOf(db, row.started_by) : []
  const granted = await Promise.all((await loadGrants(db, id)).map((one) => lineageOf(db, one)))
  return [...starters, ...granted.flat()]
}

/** How the caller may use an agent group: from this chat, or from any that shares its one session. */
export async function entryTo(
  db: Executor,
  { actor, ...held }: Standing,
  agentGroupId: AgentGroupId,
  chatId: MessagingGroupId | null,
): Promise<Access> {
  if (actor.kind === 'system') return 'known'
  if (actor.kind !== 'person') return 'unknown'
  return accessOf(held, agentGroupId, (await hasPublicChat(db, agentGroupId, chatId)) ? 'public' : 'strict')
}

/** The same through one wiring, if it leads to the session. */
export async function entryThrough(db: Executor, id: WiringId, { standing, session }: Grounds): Promise<Access> {
  const wiring = await loadWiring(db, id)
  if (!wiring || !session || wiring.agentGroupId !== session.agentGroupId) return 'unknown'
  if (session.messagingGroupId !== null && session.messagingGroupId !== wiring.chatId) return 'unknown'
  if (session.sessionMode === null) return 'unknown'
  const entry = await entryTo(db, standing, wiring.agentGroupId, wiring.chatId)
  return isInScope(entry, wiring.senderScope) ? entry : 'unknown'
}

/** The session's owner and delegates. */
export const operates = ({ standing: { actor }, session }: Grounds): boolean =>
  actor.kind === 'person' &&
  session !== undefined &&
  (session.ownerUserId === actor.userId || session.delegates.includes(actor.userId))

export async function stateOf(db: Executor, grounds: Grounds): Promise<SessionState | undefined> {
  if (!grounds.session) return undefined
  const open = await loadOpenAsks(db, grounds.session.id)
  // What is asked of administrators is about the agent group, so it outlives the session.
  return { ...grounds.session, openAsks: open.flatMap(({ id, kind }) => (isGroupKind(kind) ? [] : [id])) }
}

export async function sessionFacts(
  db: Executor,
  protocol: ProtocolMode,
  context: CommandContext,
): Promise<SessionFacts> {
  const taken = await countSlots(db, protocol)
  const slots = { taken, limit: context.settings.limits[protocol] }
  const by = actorName(context.standing.actor)
  const { now, noteId, workspaceMark = null, settings } = context
  const containers = {
    ...(protocol === 'acp' ? await countContainers(db) : none),
    limit: settings.containers ?? usualContainers,
  }
  return { now, slots, containers, noteId, by, workspaceMark }
}

const none = { taken: 0, queued: 0 }
const usualContainers = 4

/** Anything an agent does is a sign of life (R5). */
export function withLife(
  grounds: Grounds,
  moment: { now: number; noteId: MessageId },
  changes: Result<SessionChange[]>,
  tool: string | null = null,
): Result<SessionChange[]> {
  const { session: found, standing } = grounds
  if (!changes.ok || !found || standing.actor.kind !== 'agent') return changes
  return ok([...changes.value, ...signOfLife(found, tool, moment)])
}
