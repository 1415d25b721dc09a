import { isAbsolute, resolve } from 'node:path'
import type { AttachmentId } from '../../domain/attachment/schema.ts'
import type { SessionMode } from '../../domain/chat/id.ts'
import type { CheckpointId } from '../../domain/checkpoint/id.ts'
import {
  inNoChat,
  type Isolation,
  type NewSession,
  type OperationalMode,
  type Session,
  type SessionCommand,
  type SessionId,
} from '../../domain/session/schema.ts'
import type { AgentGroup } from '../../domain/agent-group/schema.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import type { RepoId } from '../../domain/workspace/id.ts'
import { newRandomId } from '../../lib/id.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { GroupSettings } from '../agent-group/settings.ts'
import type { App } from '../app.ts'
import type { Hosting } from '../hosting.ts'
import type { Requester } from './requester.ts'
import type { Places } from './places.ts'
import {
  cannotFork,
  cannotHandOver,
  cannotSpawn,
  choicesOf,
  continued,
  noOwner,
  noWorkspace,
  plainStart,
  relativeWorkspace,
  tokenOf,
  withFiles,
  withoutOurs,
} from './start-parts.ts'

/** The agent group and chat of a session, and which messages reach it. */
export type ChatOfSession = Pick<NewSession, keyof typeof inNoChat> & {
  /** Null if no messages of chats reach it. */
  readonly sessionMode: SessionMode | null
  readonly sentBy?: SessionId
}

/** The request for a session. Omitted fields get their defaults. */
export type WantedSession = {
  readonly id?: SessionId | undefined
  readonly protocolMode: NewSession['protocolMode']
  readonly repoId?: RepoId | undefined
  readonly workspaceRoot?: string | undefined
  readonly name?: string | undefined
  readonly prompt?: string | undefined
  /** Files that go along with the prompt. */
  readonly attachments?: AttachmentId[] | undefined
  readonly links?: string[] | undefined
  readonly mode: OperationalMode
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly effort?: string | undefined
  /** An agent group of the caller; sessions from chats name theirs in `chat`. */
  readonly agentGroupId?: AgentGroupId | undefined
  readonly isolation?: Isolation | undefined
  readonly worktree: boolean
  readonly agentMode?: string | undefined
  readonly options?: Readonly<Record<string, string | boolean>> | undefined
  /** One of the agent's own conversations. */
  readonly conversation?: string | undefined
  readonly authMethod?: string | undefined
  readonly metadata: NewSession['metadata']
  /** Where it was started, if that was in a chat. */
  readonly chat?: ChatOfSession | undefined
  readonly budget?: { readonly costUsd?: number | undefined; readonly tokens?: number | undefined } | undefined
}

/** Starts, continues, copies and recovers sessions, the same way for every edge that people use. */
export type Sessions = {
  start(wanted: WantedSession, by: Requester): Promise<Result<SessionId>>
  /** The directory where it would start, if the caller may start it there. */
  locate(wanted: WantedSession, by: Requester): Promise<Result<string>>
  /** A new session that replaces an older one (X4). */
  continue(
    id: SessionId,
    wanted: { id?: SessionId | undefined; prompt?: string | undefined; checkpointId?: CheckpointId | undefined },
    by: Requester,
  ): Promise<Result<SessionId>>
  /** Like `continue`, but with another agent, which gets a summary of what was said and done. */
  handOver(
    id: SessionId,
    wanted: { agent: string; model?: string | undefined; effort?: string | undefined; prompt: string },
    by: Requester,
  ): Promise<Result<SessionId>>
  /** An independent copy of the conversation. */
  fork(
    id: SessionId,
    wanted: { prompt?: string | undefined; worktree: boolean },
    by: Requester,
  ): Promise<Result<SessionId>>
  recover(id: SessionId, reason: string | null, by: Requester): Promise<Result<SessionId>>
}

type GroupOfSession = { readonly group: AgentGroup; readonly settings: GroupSettings }
type PlaceWanted = Pick<WantedSession, 'repoId' | 'workspaceRoot'> & { readonly isFolder?: true }

type StartCommand = Extract<SessionCommand, { type: 'session.start' }>

export type SessionsDeps = {
  app: Pick<App, 'read' | 'check' | 'permits' | 'dispatch'>
  places: Places
  hosting: Pick<Hosting, 'start' | 'recover'>
  defaultWorkspace: string | null
}

export function createSessions({ app, places, hosting, defaultWorkspace }: SessionsDeps): Sessions {
  async function dispatchStart(
    session: NewSession,
    restartOf: SessionId | null,
    by: Requester,
    more: Partial<Pick<StartCommand, 'fromCheckpoint' | 'attachments' | 'links'>> = {},
    workspaceMark?: string | null,
  ): Promise<Result<SessionId>> {
    const done = await app.dispatch({ type: 'session.start', session, active: true, restartOf, ...more }, by.actor, {
      ...by.once,
      workspaceMark,
    })
    return done.ok ? ok(done.value.subject as SessionId) : done
  }

  /** No process is started for an agent that connects to us, so the rest is decided when the command is carried out. */
  async function refusalOf(command: StartCommand, { actor, standing, once }: Requester): Promise<Failed | null> {
    if (command.session.protocolMode === 'mcp' && once.key === undefined) return app.permits(command, standing)
    const checked = await app.check(command, actor, once)
    // The host may put an idle agent to sleep, or have this one wait.
    const isFull = checked !== null && checked !== 'repeated' && checked.fault.kind === 'limited'
    return checked === 'repeated' || (isFull && command.session.protocolMode === 'acp') ? null : checked
  }

  /** The agent group of a session, and how its sessions run. A group that the caller can't see is reported as not found. */
  async function groupFor(wanted: WantedSession, { standing }: Requester): Promise<Result<GroupOfSession | null>> {
    const id = wanted.chat?.agentGroupId ?? wanted.agentGroupId ?? null
    if (id === null) return ok(null)
    const seen = wanted.chat ? ok(null) : await app.read.agentGroup(standing, id)
    if (!seen.ok) return seen
    const group = await app.read.groupRow(id)
    const settings = group && (await app.read.groupSettings(id, wanted))
    return group && settings ? ok({ group, settings }) : notFound('agent_group', id)
  }

  /** Its repo, its directory, or its own folder. */
  async function placeOfGroup({ group, settings }: GroupOfSession): Promise<Result<PlaceWanted>> {
    if (group.repoId !== null) return ok({ repoId: group.repoId })
    if (group.workspaceRoot !== null) return ok({ workspaceRoot: group.workspaceRoot })
    const folder = await places.locateGroupFolder(settings.folder, settings.instructions)
    return folder.ok ? ok({ workspaceRoot: folder.value.path, isFolder: true }) : folder
  }

  /** The directory the caller asked for. Does not look at the disk. */
  async function wantedPlace({ repoId, workspaceRoot }: PlaceWanted, { standing }: Requester): Promise<Result<string>> {
    if (repoId !== undefined) {
      const repo = await app.read.repo(standing, repoId)
      return repo.ok ? ok(repo.value.path) : repo
    }
    const path = workspaceRoot ?? defaultWorkspace
    if (path === null) return fail(noWorkspace)
    return isAbsolute(path) ? ok(resolve(path)) : fail(relativeWorkspace)
  }

  /** The real directory, with links resolved. A repo must still be at its registered path. */
  async function located({
    repoId,
    workspaceRoot,
    protocolMode,
  }: NewSession): Promise<Result<{ path: string; mark?: string | null }>> {
    if (repoId !== null) {
      const same = await places.locateAgain(workspaceRoot)
      if (!same.ok) return same
    }
    const locate =
      repoId !== null ? places.locateRepo : protocolMode === 'acp' ? places.locateWorkspace : places.locateNamed
    return locate(workspaceRoot)
  }

  /** The repo registered at this path: work of an agent we host in a worktree still belongs to that repo. */
  async function repoAt({ workspaceRoot, protocolMode }: NewSession, { standing }: Requester): Promise<RepoId | null> {
    const repos = protocolMode === 'acp' ? await app.read.repos(standing) : null
    return (repos?.ok && repos.value.find((repo) => repo.path === workspaceRoot)?.id) || null
  }

  /** Checks again that the directory is allowed before another process starts in it. */
  async function sameWorkspace({ id, workspaceRoot }: Session, { standing }: Requester): Promise<Result<void>> {
    const agent = await app.read.agentState(standing, id)
    const repo = agent.ok ? agent.value.worktree?.repo : undefined
    const found = repo === undefined ? ok(undefined) : await places.locateAgain(repo)
    return found.ok ? places.locateAgain(workspaceRoot) : found
  }

  /** The same check for an agent that connects to us. */
  async function sameName(workspaceRoot: string): Promise<Result<void>> {
    const named = await places.locateNamed(workspaceRoot)
    if (!named.ok) return named
    return named.value.path === workspaceRoot ? ok(undefined) : places.locateAgain(workspaceRoot)
  }

  /** The session to start, if the caller may start it in that directory. */
  async function planned(
    wanted: WantedSession,
    by: Requester,
  ): Promise<Result<{ session: NewSession; mark?: string | null | undefined }>> {
    if (wanted.protocolMode === 'terminal') return fail(cannotSpawn)
    const { actor } = by
    if (!('userId' in actor)) return fail(noOwner)
    const group = await groupFor(wanted, by)
    if (!group.ok) return group
    const settings = group.value?.settings
    const isPlaced = wanted.repoId !== undefined || wanted.workspaceRoot !== undefined
    const wish = isPlaced || !group.value ? ok<PlaceWanted>(wanted) : await placeOfGroup(group.value)
    if (!wish.ok) return wish
    const place = await wantedPlace(wish.value, by)
    if (!place.ok) return place
    const repoId = wish.value.repoId
    const isolation = settings?.isolation ?? wanted.isolation ?? null
    const asked: NewSession = {
      ...(wanted.chat ?? inNoChat),
      ...(settings && { agentGroupId: settings.agentGroupId, agentProvider: settings.provider }),
      id: wanted.id ?? newRandomId(),
      ownerUserId: actor.userId,
      protocolMode: wanted.protocolMode,
      workspaceRoot: place.value,
      repoId: repoId ?? null,
      ...(wanted.name !== undefined && { name: wanted.name }),
      prompt: wanted.prompt ?? null,
      mode: wanted.mode,
      agent: settings?.agent ?? wanted.agent ?? null,
      model: wanted.model ?? null,
      effort: wanted.effort ?? null,
      metadata: withoutOurs(wanted.metadata),
      isolation: wanted.protocolMode === 'acp' ? isolation : null,
      tokenId: tokenOf(by),
    }
    // Checked before the disk is read, so that nobody without the right can probe for paths.
    const command = { type: 'session.start' as const, session: asked, active: true, restartOf: null }
    const refused = await refusalOf(command, by)
    if (refused) return refused
    const workspace = wish.value.isFolder ? ok({ path: place.value }) : await located(asked)
    if (!workspace.ok) return workspace
    const { path, mark }: { path: string; mark?: string | null } = workspace.value
    return ok({ session: { ...asked, workspaceRoot: path, repoId: repoId ?? (await repoAt(asked, by)) }, mark })
  }

  return {
    async locate(wanted, by) {
      const found = await planned(wanted, by)
      return found.ok ? ok(found.value.session.workspaceRoot) : found
    },

    async start(wanted, by) {
      const plan = await planned(wanted, by)
      if (!plan.ok) return plan
      const { session, mark } = plan.value
      if (wanted.protocolMode === 'mcp') {
        const { attachments, links } = wanted
        return dispatchStart(session, null, by, { attachments, links }, mark)
      }
      // The agent's history belongs to the server's user, so it may hold conversations of other people.
      const reads = wanted.conversation === undefined ? ok(null) : await app.read.mayRunPrograms(by.standing)
      if (!reads.ok) return reads
      const { costUsd = null, tokens = null } = wanted.budget ?? {}
      return hosting.start({
        ...plainStart(by),
        session,
        ...withFiles(wanted),
        ...choicesOf(wanted),
        isolation: session.isolation,
        worktree: wanted.worktree,
        authMethod: wanted.authMethod ?? null,
        budget: wanted.budget === undefined ? null : { costUsd, tokens },
      })
    },

    async continue(id, { id: newId, prompt, checkpointId }, by) {
      const old = await app.read.session(by.standing, id)
      if (!old.ok) return old
      const { protocolMode } = old.value
      if (protocolMode === 'terminal') return fail(cannotSpawn)
      const checkpoint = checkpointId && (await app.read.checkpoint(by.standing, checkpointId))
      if (checkpoint && !checkpoint.ok) return checkpoint
      const from = checkpoint ? { fromCheckpoint: checkpoint.value.id } : {}
      // An agent that continues has its history; it would get the old prompt twice.
      const oldPrompt = protocolMode === 'acp' ? null : old.value.prompt
      const session: NewSession = {
        ...continued(old.value),
        ...(checkpoint && { mode: checkpoint.value.sessionState.mode }),
        id: newId ?? newRandomId(),
        prompt: prompt ?? (checkpoint ? checkpoint.value.sessionState.prompt : oldPrompt),
        tokenId: tokenOf(by),
      }
      if (protocolMode === 'mcp') {
        const same = await sameName(session.workspaceRoot)
        return same.ok ? dispatchStart(session, id, by, from) : same
      }
      const place = await sameWorkspace(old.value, by)
      if (!place.ok) return place
      return hosting.start({
        ...plainStart(by),
        session,
        restartOf: id,
        ...from,
        isolation: old.value.isolation,
      })
    },

    async handOver(id, { agent, model, effort, prompt }, by) {
      const old = await app.read.session(by.standing, id)
      if (!old.ok) return old
      const { protocolMode, isolation } = old.value
      if (protocolMode !== 'acp') return fail(cannotHandOver)
      const place = await sameWorkspace(old.value, by)
      if (!place.ok) return place
      const session: NewSession = {
        ...continued(old.value),
        id: newRandomId(),
        agent,
        model: model ?? null,
        effort: effort ?? null,
        prompt,
        tokenId: tokenOf(by),
      }
      return hosting.start({ ...plainStart(by), session, restartOf: id, anew: true, isolation })
    },

    async fork(id, { prompt, worktree }, by) {
      const old = await app.read.session(by.standing, id)
      if (!old.ok) return old
      const session: NewSession = {
        ...continued(old.value),
        id: newRandomId(),
        prompt: prompt ?? null,
        metadata: { ...old.value.metadata, forkOf: id },
        tokenId: null,
      }
      const command = { type: 'session.start' as const, session, active: true, restartOf: null, forkOf: id }
      const refused = await refusalOf(command, by)
      if (refused) return refused
      if (old.value.protocolMode !== 'acp') return fail(cannotFork)
      const place = await sameWorkspace(old.value, by)
      if (!place.ok) return place
      return hosting.start({ ...plainStart(by), session, forkOf: id, isolation: old.value.isolation, worktree })
    },

    async recover(id, reason, by) {
      const session = await app.read.session(by.standing, id)
      if (!session.ok) return session
      const { protocolMode, workspaceRoot } = session.value
      if (protocolMode !== 'acp') {
        const same = protocolMode === 'mcp' ? await sameName(workspaceRoot) : ok(undefined)
        if (!same.ok) return same
        const done = await app.dispatch({ type: 'session.recover', id, reason }, by.actor, by.once)
        return done.ok ? ok(id) : done
      }
      const steered = await app.dispatch({ type: 'session.steer', id, what: 'recover', detail: null }, by.actor)
      if (!steered.ok) return steered
      const place = await sameWorkspace(session.value, by)
      if (!place.ok) return place
      const recovered = await hosting.recover(id)
      return recovered.ok ? ok(id) : recovered
    },
  }
}
