import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../app/app.ts'
import type { SaveFile } from '../app/chat/receive-files.ts'
import type { ConfineOnce } from './registered-commands.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { AgentHost } from '../edges/acp/host/host.ts'
import type { ConfinedCommand } from '../edges/acp/launch/launch.ts'
import type { NetworkDeps } from '../edges/acp/launch/network.ts'
import type { OwnTools } from '../edges/acp/own-tools.ts'
import type { Agents } from '../edges/http/handlers/agents.ts'
import type { GroupFolders } from '../edges/workspace/group-folders.ts'
import { replacedWorkspace } from '../edges/workspace/faults.ts'
import { isContainer } from '../domain/session/phase.ts'
import { keeperPaths } from '../keeper/protocol/paths.ts'
import type { Session, SessionId } from '../domain/session/schema.ts'
import { systemStanding } from '../domain/user/actor.ts'
import { lookAgain } from '../lib/directory-mark.ts'
import { notFound, ok, type Result } from '../lib/result.ts'
import type { Clock } from '../lib/clock.ts'
import type { Containers } from '../lib/container/containers.ts'
import { lazy, lazyMethods, type Lazy } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import { socketPath } from '../lib/socket-path.ts'
import { createContainerLaunches, type ContainerChoice } from './containers.ts'
import { mcpBridge, practiceAgent, relayInSandbox } from './own-programs.ts'
import { reservedOf, settingsGuardDeps } from './settings-guard.ts'

type AgentsDeps = {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  version: string
  nodeId: string
  /** Reports a path that leads out of its workspace. */
  refused(path: string): Promise<void>
  ownTools: Omit<OwnTools, 'bridge'>
  /** A file that people sent, for the agent of a session. */
  saveFile: SaveFile
  groupFolders: Pick<GroupFolders, 'prepare'>
  /** Our port; null until it is known. */
  ownPort(): number | null
  containers: Lazy<Containers>
  containerFor: ContainerChoice
}

/** A place for a program that decides whether an agent starts there. */
type PlannedPlace = Pick<Session, 'id' | 'agent' | 'workspaceRoot' | 'isolation'>
/** Confined as the agent would be there; null if it would not be confined. */
type ConfineFor = (place: PlannedPlace, argv: Argv) => ReturnType<ConfineOnce>

type Argv = readonly [string, ...string[]]
/** How a program of an agent's session is started: in the same sandbox, or null if the session has none. */
type Confine = (id: SessionId, argv: Argv) => Promise<Result<ConfinedCommand | null>>

/** The agents of this node. Their code is loaded with the first of them, so that a server without agents stays small. */
export function createAgents(deps: AgentsDeps): Agents & {
  adopt(): Promise<void>
  stop(agents: 'end' | 'keep'): Promise<void>
  confine: Confine
  confineOnce: ConfineOnce
  confineFor: ConfineFor
} {
  const edge = lazy(() => loadEdge(deps))
  const host = lazy(async () => (await edge.get()).host)
  return {
    ...lazyMethods(host, ['start', 'recover', 'cancelTurn', 'setMode', 'setOption', 'conversations', 'wake', 'sleep']),
    ...lazyMethods(edge, ['list', 'signIn']),
    gone: async (id) => edge.loaded?.host.gone(id),
    stderr: async (id) => edge.loaded?.host.stderr(id) ?? null,
    live: () => edge.loaded?.host.live() ?? 0,
    async confine(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || !isConfined(session.value)) return ok(null)
      return (await edge.get()).confine(session.value, argv)
    },
    async confineOnce(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || !isConfined(session.value)) return ok(null)
      return (await edge.get()).confineOnce(session.value, argv)
    },
    confineFor: async (place, argv) => (await edge.get()).confineFor(place, argv),
    async adopt() {
      const hosted = await deps.app.read.hosted(deps.nodeId)
      const { dataDir } = deps.loaded
      const wasBusy = existsSync(keeperPaths(dataDir).socket) || existsSync(reservedOf(dataDir))
      if (hosted.length > 0 || wasBusy) await (await host.get()).adopt()
      void endLeftContainers({ ...deps, dataDir })
    },
    async stop(agents) {
      await (await edge.requested())?.host.stop(agents)
    },
  }
}

const isConfined = ({ isolation }: Session): boolean => isolation === 'sandbox' || isolation === 'container'

type AcpEdge = {
  host: AgentHost
  list: Agents['list']
  signIn: Agents['signIn']
  confine(session: Session, argv: Argv): ReturnType<Confine>
  confineOnce(session: Session, argv: Argv): ReturnType<ConfineOnce>
  confineFor: ConfineFor
}

async function loadEdge(deps: AgentsDeps): Promise<AcpEdge> {
  const { app, clock, log, loaded, version, nodeId, refused, ownTools } = deps
  const [{ createAgentHost }, { createAgentList }, launching, bubblewrap, presets, files, undo, worktrees, guarding] =
    await Promise.all([
      import('../edges/acp/host/host.ts'),
      import('../edges/acp/host/agent-list.ts'),
      import('../edges/acp/launch/launch.ts'),
      import('../lib/bubblewrap.ts'),
      import('../edges/acp/launch/presets.ts'),
      import('../edges/workspace/workspace-files.ts'),
      import('../edges/workspace/undo-store.ts'),
      import('../edges/workspace/worktree.ts'),
      import('../edges/workspace/settings-guard.ts'),
    ])
  const { config, dataDir } = loaded
  const agents = presets.agentDefinitions(config, practiceAgent())
  const defaultAgent = presets.defaultAgent(config)
  const bridge = mcpBridge()
  const undoStore = undo.createUndoStore({ directory: join(dataDir, 'undo'), clock })
  const guard = guarding.createSettingsGuard(settingsGuardDeps(app, dataDir))
  const network = networkMeans(deps)
  const inContainer = createContainerLaunches(deps)
  type Launch = Parameters<typeof createAgentHost>[0]['launch']
  const launchIn = async (
    means: NetworkDeps,
    settings: readonly string[],
    ...[agent, sessionId, workspace, isolation, owner]: Parameters<Launch>
  ) => {
    const commonDir = await worktrees.commonGitDir(workspace)
    const extraWritable = commonDir === null ? [] : [commonDir]
    const common = { agent, workspace, sessionId, settings, extraWritable, bridgeFiles: bridge.files }
    const wanted = isolation ?? agent.isolation
    if (wanted === 'container') return inContainer.launch(common, owner)
    return launching.prepareLaunch({ ...common, isolation: wanted, dataDir, hostEnv: process.env, network: means })
  }
  const launch: Launch = async (agent, sessionId, workspace, isolation, owner) => {
    const free = (isolation ?? agent.isolation) === 'none'
    const launched = await launchIn(
      network,
      free ? [] : await guard.close(sessionId, workspace),
      agent,
      sessionId,
      workspace,
      isolation,
      owner,
    )
    // Nothing runs there, or it runs without a sandbox.
    if ((!launched.ok || launched.value.isolation === 'none') && !guard.isWatching(sessionId))
      await guard.open(sessionId)
    return launched
  }
  const host = createAgentHost({
    app,
    clock,
    log: log.child({ part: 'acp' }),
    dataDir,
    nodeId,
    version,
    idleMs: config.acp.idleTimeoutMinutes * 60_000,
    sleepMs(isolation) {
      const { sleepAfterMinutes } = config.acp
      const minutes = isContainer(isolation)
        ? config.containers.idleStopMinutes || sleepAfterMinutes
        : sleepAfterMinutes
      return minutes === 0 ? null : minutes * 60_000
    },
    startupMs: config.acp.startupTimeoutSeconds * 1000,
    maxSessions: config.acp.maxSessions,
    ownTools: { ...ownTools, bridge },
    agents,
    defaultAgent,
    launch,
    prepareGroup: ({ folder, instructions }) => deps.groupFolders.prepare(folder, instructions),
    addWorktree: (repo, name, fresh) =>
      worktrees.addWorktree({ repo, sessionId: name, parent: worktreesOf(dataDir), fresh }),
    async removeWorktree(repo, path) {
      const removed = await worktrees.removeWorktree({ repo, path })
      if (!removed.ok || removed.value.kept !== null)
        log.info({ path, why: removed.ok ? removed.value.kept : removed.fault.message }, 'a worktree was kept')
      return removed.ok ? removed.value.kept : removed.fault.message
    },
    openFiles(sessionId, root) {
      const opened = files.openWorkspace({ root, refused, mark: () => app.read.workspaceMark(sessionId) })
      guard
        .watch(sessionId, root)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'settings in a workspace are not watched'))
      return {
        files: opened,
        undo: {
          keep: (input) => undoStore.keep({ ...input, sessionId, files: opened }),
          compare: (askId) => undoStore.compare(askId, opened),
        },
        save: (path, bytes) => deps.saveFile({ id: sessionId, workspaceRoot: root }, path, bytes),
      }
    },
    async left(sessionId) {
      await guard
        .open(sessionId)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'left empty directories in a workspace'))
      // A runner that was killed could not remove its container.
      await deps.containers.loaded?.endOrphans(sessionId).catch(() => {})
    },
  })
  const path = process.env['PATH'] ?? ''
  const { list, signIn } = createAgentList({
    dataDir,
    log,
    agents,
    defaultAgent,
    version,
    patienceMs: config.acp.startupTimeoutSeconds * 1000,
    launch: (...asked) => launchIn({ ...network, relays: false }, [], ...asked, nobodys),
    find: ({ command, env }) => launching.findProgram(command.replace(/^~\//, `${homedir()}/`), env['PATH'] ?? path),
    async usualIsolation({ isolation }) {
      if (isolation === 'none' || isolation === 'container') return isolation
      const { works } = await bubblewrap.probeBubblewrap(path, process.getuid?.() === 0)
      return works || isolation === 'sandbox' ? 'sandbox' : 'none'
    },
  })
  const confineIn = async (session: Session, argv: Argv, start: Launch): Promise<Result<ConfinedCommand>> => {
    const { id, workspaceRoot } = session
    const agent = await host.agentFor(session)
    if (!agent.ok) return agent
    // The program would get access to whatever is there now.
    if ((await lookAgain(workspaceRoot, await app.read.workspaceMark(id))) === 'replaced') {
      await refused(workspaceRoot)
      return replacedWorkspace(workspaceRoot)
    }
    if (session.isolation === 'container') return inContainer.command(session, argv)
    const launched = await start(agent.value, id, workspaceRoot, 'sandbox', session)
    return launched.ok ? ok(launching.confineCommand(launched.value, argv, {})) : launched
  }
  const confine: AcpEdge['confine'] = (session, argv) => confineIn(session, argv, launch)
  const confineOnce: AcpEdge['confineOnce'] = async (session, argv) => {
    const { id } = session
    // The keeper relays for programs that run beside the agent. Without the agent nothing is relayed.
    if (guard.isWatching(id) || session.isolation === 'container') {
      const confined = await confine(session, argv)
      const done = () => Promise.resolve()
      return confined.ok ? ok(confined.value && { ...confined.value, isolation: whereOf(session), done }) : confined
    }
    const alone: Launch = async (agent, sessionId, workspace, isolation, owner) =>
      launchIn(
        { ...network, relays: false },
        await guard.close(sessionId, workspace),
        agent,
        sessionId,
        workspace,
        isolation,
        owner,
      )
    const done = async () => (guard.isWatching(id) ? undefined : guard.open(id))
    const confined = await confineIn(session, argv, alone)
    if (confined.ok) return ok({ ...confined.value, isolation: whereOf(session), done })
    await done()
    return confined
  }
  const confineFor: ConfineFor = async ({ id, agent: name, workspaceRoot, isolation }, argv) => {
    const agent = agents.get(name ?? defaultAgent)
    if (!agent) return notFound('agent', name ?? defaultAgent)
    const watched = guard.isWatching(id)
    const settings = (isolation ?? agent.isolation) === 'none' ? [] : await guard.close(id, workspaceRoot)
    const done = async () => (watched || guard.isWatching(id) ? undefined : guard.open(id))
    const means = watched ? network : { ...network, relays: false }
    // A container for a short script would cost more than the script; the sandbox confines it as well.
    const place = (isolation ?? agent.isolation) === 'container' ? 'sandbox' : isolation
    const launched = await launchIn(means, settings, agent, id, workspaceRoot, place, nobodys)
    if (!launched.ok || launched.value.isolation === 'none') {
      await done()
      return launched.ok ? ok(null) : launched
    }
    return ok({ ...launching.confineCommand(launched.value, argv, {}), isolation: 'sandbox', done })
  }
  const sweep = () => guard.sweep(async (id) => !(await app.read.hosted(nodeId)).some((hosted) => hosted.id === id))
  const stop: typeof host.stop = async (fate) => {
    await host.stop(fate)
    // Their agents are gone, so nothing has to be kept from them in their workspaces.
    if (fate === 'end') await sweep()
  }
  const adopt = async () => {
    await host.adopt()
    await sweep()
  }
  return { host: { ...host, adopt, stop }, list, signIn, confine, confineOnce, confineFor }
}

const whereOf = ({ isolation }: Session) => (isolation === 'container' ? 'container' : 'sandbox')

/** A probe of an agent belongs to nobody. */
const nobodys = { ownerUserId: '' as Session['ownerUserId'], agentGroupId: null }

/** Containers whose runner is gone: the keeper was killed, or the machine's engine outlived it. */
async function endLeftContainers({ containers, dataDir, log }: LeftContainers): Promise<void> {
  // Nothing was ever in a container here.
  if (!existsSync(join(dataDir, 'containers'))) return
  const ended = await (await containers.get()).endOrphans().catch(() => [])
  if (ended.length > 0) log.info({ sessions: ended }, 'ended orphaned containers')
}
type LeftContainers = { containers: Lazy<Containers>; dataDir: string; log: Logger }

/** Beside the data directory, which agents can't see. */
export const worktreesOf = (dataDir: string): string => `${dataDir}.worktrees`

/** What gives agents their own network. */
function networkMeans({ loaded: { config, dataDir }, ownPort }: AgentsDeps): NetworkDeps {
  const database = config.database.url === null ? null : URL.parse(config.database.url)
  return {
    dataDir,
    inside: relayInSandbox(),
    gate: config.acp.ownTools ? socketPath(dataDir, 'gate') : null,
    ownPort,
    guarded: database === null ? [] : [Number(database.port || 5432)],
    relays: true,
  }
}
