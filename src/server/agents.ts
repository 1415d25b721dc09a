import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../app/app.ts'
import type { ConfineOnce } from './registered-commands.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { AgentHost } from '../edges/acp/host/host.ts'
import type { ConfinedCommand } from '../edges/acp/launch/launch.ts'
import type { NetworkDeps } from '../edges/acp/launch/network.ts'
import type { OwnTools } from '../edges/acp/own-tools.ts'
import type { Agents } from '../edges/http/handlers/agents.ts'
import { replacedWorkspace } from '../edges/workspace/faults.ts'
import { keeperPaths } from '../keeper/protocol/paths.ts'
import type { Session, SessionId } from '../domain/session/schema.ts'
import { systemStanding } from '../domain/user/actor.ts'
import { lookAgain } from '../lib/directory-mark.ts'
import { notFound, ok, type Result } from '../lib/result.ts'
import type { Clock } from '../lib/clock.ts'
import { lazy, lazyMethods } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import { socketPath } from '../lib/socket-path.ts'
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
  /** Our port; null until it is known. */
  ownPort(): number | null
}

type Argv = readonly [string, ...string[]]
/** How a program of an agent's session is started: in the same sandbox, or null if the session has none. */
type Confine = (id: SessionId, argv: Argv) => Promise<Result<ConfinedCommand | null>>

/** The agents of this node. Their code is loaded with the first of them, so that a server without agents stays small. */
export function createAgents(deps: AgentsDeps): Agents & {
  adopt(): Promise<void>
  stop(agents: 'end' | 'keep'): Promise<void>
  confine: Confine
  confineOnce: ConfineOnce
} {
  const edge = lazy(() => loadEdge(deps))
  const host = lazy(async () => (await edge.get()).host)
  return {
    ...lazyMethods(host, ['start', 'recover', 'cancelTurn', 'setMode', 'setOption', 'conversations']),
    ...lazyMethods(edge, ['list']),
    gone: async (id) => edge.loaded?.host.gone(id),
    stderr: async (id) => edge.loaded?.host.stderr(id) ?? null,
    live: () => edge.loaded?.host.live() ?? 0,
    async confine(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || session.value.isolation !== 'sandbox') return ok(null)
      return (await edge.get()).confine(session.value, argv)
    },
    async confineOnce(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || session.value.isolation !== 'sandbox') return ok(null)
      return (await edge.get()).confineOnce(session.value, argv)
    },
    async adopt() {
      const hosted = await deps.app.read.hosted(deps.nodeId)
      const { dataDir } = deps.loaded
      const wasBusy = existsSync(keeperPaths(dataDir).socket) || existsSync(reservedOf(dataDir))
      if (hosted.length > 0 || wasBusy) await (await host.get()).adopt()
    },
    async stop(agents) {
      await (await edge.requested())?.host.stop(agents)
    },
  }
}

type AcpEdge = {
  host: AgentHost
  list: Agents['list']
  confine(session: Session, argv: Argv): ReturnType<Confine>
  confineOnce(session: Session, argv: Argv): ReturnType<ConfineOnce>
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
  type Launch = Parameters<typeof createAgentHost>[0]['launch']
  const launchIn = async (
    means: NetworkDeps,
    settings: readonly string[],
    ...[agent, sessionId, workspace, isolation]: Parameters<Launch>
  ) => {
    const commonDir = await worktrees.commonGitDir(workspace)
    return launching.prepareLaunch({
      agent,
      workspace,
      sessionId,
      settings,
      isolation: isolation ?? agent.isolation,
      dataDir,
      hostEnv: process.env,
      extraWritable: commonDir === null ? [] : [commonDir],
      bridgeFiles: bridge.files,
      network: means,
    })
  }
  const launch: Launch = async (agent, sessionId, workspace, isolation) => {
    const free = (isolation ?? agent.isolation) === 'none'
    const launched = await launchIn(
      network,
      free ? [] : await guard.close(sessionId, workspace),
      agent,
      sessionId,
      workspace,
      isolation,
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
    startupMs: config.acp.startupTimeoutSeconds * 1000,
    maxSessions: config.acp.maxSessions,
    ownTools: { ...ownTools, bridge },
    agents,
    defaultAgent,
    launch,
    addWorktree: (repo, name, fresh) =>
      worktrees.addWorktree({ repo, sessionId: name, parent: worktreesOf(dataDir), fresh }),
    async removeWorktree(repo, path) {
      const removed = await worktrees.removeWorktree({ repo, path })
      if (!removed.ok || removed.value.kept !== null)
        log.info({ path, why: removed.ok ? removed.value.kept : removed.fault.message }, 'a worktree was kept')
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
      }
    },
    left: (sessionId) =>
      guard
        .open(sessionId)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'left empty directories in a workspace')),
  })
  const path = process.env['PATH'] ?? ''
  const list = createAgentList({
    dataDir,
    log,
    agents,
    defaultAgent,
    version,
    launch: (...asked) => launchIn({ ...network, relays: false }, [], ...asked),
    find: (agent) => launching.findProgram(agent.command.replace(/^~\//, `${homedir()}/`), path),
    async usualIsolation({ isolation }) {
      if (isolation === 'none') return 'none'
      const { works } = await bubblewrap.probeBubblewrap(path, process.getuid?.() === 0)
      return works || isolation === 'sandbox' ? 'sandbox' : 'none'
    },
  })
  const confineIn = async (
    { id, agent: name, workspaceRoot }: Session,
    argv: Argv,
    start: Launch,
  ): Promise<Result<ConfinedCommand>> => {
    const agent = agents.get(name ?? defaultAgent)
    if (!agent) return notFound('agent', name ?? defaultAgent)
    // The program would get access to whatever is there now.
    if ((await lookAgain(workspaceRoot, await app.read.workspaceMark(id))) === 'replaced') {
      await refused(workspaceRoot)
      return replacedWorkspace(workspaceRoot)
    }
    const launched = await start(agent, id, workspaceRoot, 'sandbox')
    return launched.ok ? ok(launching.confineCommand(launched.value, argv, {})) : launched
  }
  const confine: AcpEdge['confine'] = (session, argv) => confineIn(session, argv, launch)
  const confineOnce: AcpEdge['confineOnce'] = async (session, argv) => {
    const { id } = session
    // The keeper relays for programs that run beside the agent. Without the agent nothing is relayed.
    if (guard.isWatching(id)) {
      const confined = await confine(session, argv)
      return confined.ok ? ok(confined.value && { ...confined.value, done: () => Promise.resolve() }) : confined
    }
    const alone: Launch = async (agent, sessionId, workspace, isolation) =>
      launchIn(
        { ...network, relays: false },
        await guard.close(sessionId, workspace),
        agent,
        sessionId,
        workspace,
        isolation,
      )
    const done = async () => (guard.isWatching(id) ? undefined : guard.open(id))
    const confined = await confineIn(session, argv, alone)
    if (confined.ok) return ok({ ...confined.value, done })
    await done()
    return confined
  }
  const sweep = () => guard.sweep(async (id) => !(await app.read.hosted(nodeId)).some((hosted) => hosted.id === id))
  const stop: typeof host.stop = async (fate) => {
    await host.stop(fate)
    // Their agents are gone, so nothing has to be kept from them in their workspaces.
    if (fate === 'end') await sweep()
  }
  return { host: { ...host, adopt: () => host.adopt().then(sweep), stop }, list, confine, confineOnce }
}

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
