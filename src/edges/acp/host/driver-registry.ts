import type { App } from '../../../app/app.ts'
import { nothingKnown, type AgentAbout } from '../../../domain/agent/about.ts'
import type { Message } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { SessionStatus } from '../../../domain/session/status.ts'
import type { Keeper } from '../../../keeper-client/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { systemViewer, system } from '../actor.ts'
import { briefingOf, leftOutServers, leftOutText, type GroupSettings } from '../../../app/agent-group/settings.ts'
import { createAnswers, type Answers } from '../../../app/answers.ts'
import { createDriver } from '../driver/driver.ts'
import type { Driver, DriverDeps, Handshake } from '../driver/driver-types.ts'
import { confineCommand, type Launch } from '../launch/launch.ts'
import { withChoices, type AgentOfGroup } from '../launch/group-agent.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import type { WorkspaceFiles, UndoPoints } from '../deps.ts'
import { revokeTokens } from '../driver/own-server.ts'
import type { OwnTools } from '../own-tools.ts'
import type { Notes } from '../transcript/recorder.ts'

/** Whose session an agent works for. */
export type SessionOwner = Pick<Session, 'ownerUserId' | 'agentGroupId'>

export type HostDeps = {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  nodeId: string
  version: string
  idleMs: number
  /** How long an agent may be idle before it is put to sleep, by how it is confined; null: until a slot is needed. */
  sleepMs(isolation: string | null): number | null
  startupMs: number
  maxSessions: number
  /** Our MCP server for agents. */
  ownTools: OwnTools
  agents: ReadonlyMap<string, AgentDefinition>
  defaultAgent: string
  /** Prepares how an agent is started and confined in a workspace. */
  launch(
    agent: AgentDefinition,
    sessionId: SessionId,
    workspace: string,
    isolation: Launch['isolation'] | null,
    owner: SessionOwner,
  ): Promise<Result<Launch>>
  /** The folder of an agent group, with its instructions written. */
  prepareGroup(settings: GroupSettings): Promise<Result<{ path: string; skills: readonly string[] }>>
  /** The first eight characters of `name` identify the worktree. */
  addWorktree(
    repo: string,
    name: string,
    fresh: boolean,
  ): Promise<Result<{ path: string; branch: string; from: WorktreeOrigin }>>
  /** Why it was kept; null if it is gone. */
  removeWorktree(repo: string, path: string): Promise<string | null>
  openFiles(sessionId: SessionId, root: string): OpenedFiles
  /** Called when nothing of the agent is left here. */
  left(sessionId: SessionId): Promise<void>
}

/** The files of a session's workspace. */
type OpenedFiles = { files: WorkspaceFiles; undo: UndoPoints; save: DriverDeps['save'] }

type DriveInput = {
  id: SessionId
  childId: string
  status: SessionStatus
  agent: AgentDefinition
  launch: Launch
  owner: SessionOwner
  keeper: Keeper
  stored?: DriverDeps['stored']
  known?: AgentAbout
  messages?: readonly Message[]
}

export type WorktreeOrigin = NonNullable<NonNullable<AgentAbout['worktree']>['from']>

/** What decides which agent a session gets, and how it is set up. */
export type ChosenAgent = Pick<Session, 'agent' | 'agentGroupId'> & {
  model?: string | null | undefined
  effort?: string | null | undefined
}

/** A driver for each agent, until nothing of the agent is left. */
export type DriverRegistry = {
  readonly answers: Answers
  drive(input: DriveInput): Driver
  get(id: SessionId): Driver | undefined
  all(): readonly (readonly [SessionId, Driver])[]
  clear(): void
  /** Removes a worktree that no agent uses, unless work would be lost. */
  freeWorktree(repo: string, path: string): Promise<string | null>
  /** Removes the worktree of a session that has ended, unless work would be lost. */
  tidyWorktree(id: SessionId): Promise<void>
  /** Resolves when nothing of the agent is left here. */
  gone(id: SessionId): Promise<void>
  definitionOf(name: string | null): Result<AgentDefinition>
  /** The agent of one session, with what the session and its agent group add. */
  agentFor(session: ChosenAgent): Promise<Result<AgentDefinition>>
  /** What is known of a session's agent, also after it has ended. */
  aboutOf(id: SessionId): Promise<AgentAbout>
  lastHeard(id: SessionId): Promise<number>
  /** Revokes the tokens of a process that ended while no driver watched it. */
  disown(id: SessionId): Promise<void>
}

export function createDriverRegistry(deps: HostDeps): DriverRegistry {
  const { app, clock, log, version, idleMs, startupMs, ownTools } = deps
  const answers = createAnswers(app)
  const drivers = new Map<SessionId, Driver>()
  const places = new Map<SessionId, string>()
  const leaving = new Map<SessionId, PromiseWithResolvers<void>>()

  function remove(id: SessionId): void {
    drivers.delete(id)
    places.delete(id)
  }

  async function tidyWorktree(id: SessionId): Promise<void> {
    const session = await app.read.session(systemViewer, id)
    const { worktree } = await aboutOf(id)
    if (!worktree || !session.ok || session.value.terminatedAt === null) return
    const kept = await freeWorktree(worktree.repo, worktree.path)
    if (kept === null) return
    const text = [
      `The worktree ${worktree.path} is kept, with branch ${worktree.branch}. ${kept}`,
      'See it with signalbox diff, merge it with signalbox merge, remove it with signalbox worktrees remove.',
    ].join('\n')
    const last = await app.read.lastMessage(id)
    // Said before, by an earlier look at the same session.
    if (last?.content.type === 'text' && last.content.text === text) return
    await app.dispatch({ type: 'session.alert', id, what: 'worktree_kept', text }, system)
  }

  /** A continued session works in the same worktree. */
  async function freeWorktree(repo: string, path: string): Promise<string | null> {
    return [...places.values()].includes(path) ? null : deps.removeWorktree(repo, path)
  }

  const aboutOf = async (id: SessionId): Promise<AgentAbout> => {
    const row = await app.read.agent(id)
    return { ...nothingKnown, ...(row?.about as Partial<AgentAbout> | undefined) }
  }

  function definitionOf(name: string | null): Result<AgentDefinition> {
    const wanted = name ?? deps.defaultAgent
    const agent = deps.agents.get(wanted)
    return agent ? ok(agent) : unknownAgent(wanted, [...deps.agents.keys()])
  }

  return {
    answers,
    drive({ id, childId, status, agent, launch, owner, keeper, stored = null, known = null, messages = [] }) {
      const { files, undo, save } = deps.openFiles(id, launch.cwd)
      const left = Promise.withResolvers<void>()
      const { ownUrl } = launch
      const endpoint = async () => (await ownTools.endpoint()) && { url: ownUrl ?? '' }
      const own = ownUrl === null ? ownTools : { ...ownTools, door: endpoint }
      const driver = createDriver({
        shared: { app, clock, log, keeper, version, idleMs, startupMs, ownTools: own },
        sessionId: id,
        childId,
        workspace: launch.cwd,
        status,
        answers,
        files,
        undo,
        save,
        agent,
        stored,
        known,
        messages,
        sleepMs: deps.sleepMs(launch.isolation),
        terminals: {
          offered: agent.clientTerminal,
          async confine(argv, wanted) {
            // In a container they run beside the agent, which sees the same mounts.
            if (launch.isolation !== 'sandbox') return ok(confineCommand(launch, argv, wanted))
            // The workspace has changed since: find its read-only files again.
            const now = await deps.launch(
              keeper.relays ? agent : onHostNetwork(agent),
              id,
              launch.cwd,
              'sandbox',
              owner,
            )
            return now.ok ? ok(confineCommand({ ...now.value, env: launch.env }, argv, wanted)) : now
          },
          async cwd(path) {
            if (path === null) return launch.cwd
            const located = await files.locate(path)
            return located.ok && located.value.exists ? located.value.path : null
          },
        },
        isLost: ({ code }) => launch.isolation === 'container' && code !== null && code >= lostContainer,
        gone() {
          remove(id)
          deps
            .left(id)
            .then(() => tidyWorktree(id))
            .catch((error: unknown) => log.warn({ error: String(error) }, 'failed to remove a worktree'))
            .finally(left.resolve)
        },
      })
      drivers.set(id, driver)
      places.set(id, launch.cwd)
      leaving.set(id, left)
      void left.promise.then(() => leaving.get(id) === left && leaving.delete(id))
      return driver
    },
    freeWorktree,
    tidyWorktree,
    get: (id) => drivers.get(id),
    all: () => [...drivers],
    clear() {
      for (const id of drivers.keys()) {
        remove(id)
        leaving.get(id)?.resolve()
      }
    },
    async gone(id) {
      await leaving.get(id)?.promise
    },
    definitionOf,
    async agentFor({ agent: name, agentGroupId, model, effort }) {
      const settings = agentGroupId && (await app.read.groupSettings(agentGroupId, { agent: name, model, effort }))
      const agent = definitionOf(settings ? settings.agent : name)
      if (!agent.ok) return agent
      if (!settings) return ok(withChoices(agent.value, { model: model ?? null, effort: effort ?? null }, null))
      const folder = await deps.prepareGroup(settings)
      if (!folder.ok) return folder
      const { path, skills } = folder.value
      const hiddenSkills = skills.filter((skill) => settings.skills !== 'all' && !settings.skills.includes(skill))
      const chosen = { model: settings.model, effort: settings.effort }
      return ok(withChoices(agent.value, chosen, { settings, folder: path, hiddenSkills }))
    },
    aboutOf,
    async disown(id) {
      const row = await app.read.agent(id)
      await revokeTokens((row?.state ?? {}) as Partial<Notes>, (command) => app.dispatch(command, system))
    },
    async lastHeard(id) {
      const row = await app.read.agent(id)
      const heardAt = (row?.state as Partial<Notes> | undefined)?.heardAt
      return heardAt ? Date.parse(heardAt) : 0
    },
  }
}

/** From here on an exit code means that the container was taken from the agent: killed, stopped, or its engine gone. */
const lostContainer = 125

/** For an older keeper, which can't relay an agent's own network. */
export const onHostNetwork = (agent: AgentDefinition): AgentDefinition => ({ ...agent, network: 'host' })

/** The handshake for an agent, from its definition and launch. */
export const handshakeOf = (
  agent: AgentDefinition,
  launch: Launch,
  more: Pick<Handshake, 'authMethod' | 'continues' | 'forks' | 'takesUp' | 'chosen' | 'budget' | 'worktree'>,
): Handshake => {
  const leftOut = agent.group === undefined ? [] : leftOutServers(agent.group.settings, launch.isolation)
  return {
    cwd: launch.cwd,
    mcpServers: agent.mcpServers.filter(({ name }) => !leftOut.includes(name)).map(asMcpServer),
    leftOut: leftOutText(leftOut),
    choices: agent.choices === undefined ? null : { wanted: agent.choices, told: toldByVariable(agent) },
    briefing: agent.group === undefined ? null : briefingOf(agent.group.settings, folderFor(agent.group, launch.cwd)),
    clientFs: agent.clientFs,
    clientTerminal: agent.clientTerminal,
    confinement: launch.confinement,
    ...more,
    authMethod: more.authMethod ?? agent.authMethod,
  }
}

const toldByVariable = ({ modelEnv, modelJsonEnv, effortEnv }: AgentDefinition) => ({
  model: modelEnv !== null || modelJsonEnv !== null,
  effort: effortEnv !== null,
})

const folderFor = ({ folder }: AgentOfGroup, cwd: string) => ({ path: folder, worksThere: cwd === folder })

function asMcpServer(server: AgentDefinition['mcpServers'][number]) {
  const pairs = (table: Readonly<Record<string, string>>) =>
    Object.entries(table).map(([name, value]) => ({ name, value }))
  return 'url' in server
    ? { type: 'http', name: server.name, url: server.url, headers: pairs(server.headers) }
    : { name: server.name, command: server.command, args: [...server.args], env: pairs(server.env) }
}

const unknownAgent = (name: string, known: readonly string[]): Failed =>
  fail({
    kind: 'invalid',
    code: 'unknown_agent',
    message: `Agent ${name} not found.`,
    hint: `Known agents: ${known.join(', ')}. Add others under [agents.NAME] in config.toml.`,
  })
