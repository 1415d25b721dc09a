import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from './app/app.ts'
import type { LoadedConfig } from './config/index.ts'
import type { Host } from './edges/acp/host/host.ts'
import type { OwnTools } from './edges/acp/own-tools.ts'
import type { Agents } from './edges/http/handlers/agents.ts'
import { placeOf } from './keeper/place.ts'
import type { Session, SessionId } from './domain/session/schema.ts'
import { systemStanding } from './domain/user/actor.ts'
import { notFound, ok, type Result } from './lib/result.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'

type AgentsDeps = {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  version: string
  nodeId: string
  /** Told of each path that tried to leave a workspace. */
  refused(path: string): Promise<void>
  ownTools: Omit<OwnTools, 'bridge'>
}

type Argv = readonly [string, ...string[]]
/** How a program of an agent's session is started: behind the same border, or null where there is none. */
type Confine = (
  id: SessionId,
  argv: Argv,
) => Promise<Result<{ argv: Argv; env: Readonly<Record<string, string>> } | null>>

/** The agents this node hosts. What they need is loaded with the first of them, so that a server without any stays small. */
export function createAgents(
  deps: AgentsDeps,
): Agents & { adopt(): Promise<void>; stop(agents: 'end' | 'keep'): Promise<void>; confine: Confine } {
  let loading: Promise<Loaded> | null = null
  let loaded: Loaded | null = null
  const load = (): Promise<Loaded> => {
    loading ??= build(deps).then((ready) => (loaded = ready))
    return loading
  }
  const host = async () => (await load()).host
  return {
    start: async (input) => (await host()).start(input),
    recover: async (id) => (await host()).recover(id),
    cancelTurn: async (id) => (await host()).cancelTurn(id),
    setMode: async (id, modeId) => (await host()).setMode(id, modeId),
    setOption: async (id, optionId, value) => (await host()).setOption(id, optionId, value),
    conversations: async (id) => (await host()).conversations(id),
    list: async (probe) => (await load()).list(probe),
    gone: async (id) => loaded?.host.gone(id),
    stderr: async (id) => loaded?.host.stderr(id) ?? null,
    live: () => loaded?.host.live() ?? 0,
    async confine(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || session.value.isolation !== 'sandbox') return ok(null)
      return (await load()).confine(session.value, argv)
    },
    async adopt() {
      const hosted = await deps.app.read.hosted(deps.nodeId)
      const traces = existsSync(placeOf(deps.loaded.dataDir).socket)
      if (hosted.length > 0 || traces) await (await host()).adopt()
    },
    async stop(agents) {
      if (loading) await (await host()).stop(agents)
    },
  }
}

type Loaded = {
  host: Host
  list: Agents['list']
  confine(session: Session, argv: Argv): ReturnType<Confine>
}

async function build({ app, clock, log, loaded, version, nodeId, refused, ownTools }: AgentsDeps): Promise<Loaded> {
  const [{ createHost }, { createList }, launching, bubblewrap, presets, files, undo, worktrees] = await Promise.all([
    import('./edges/acp/host/host.ts'),
    import('./edges/acp/host/list.ts'),
    import('./edges/acp/launch/launch.ts'),
    import('./edges/acp/launch/bubblewrap.ts'),
    import('./edges/acp/launch/presets.ts'),
    import('./edges/workspace/files.ts'),
    import('./edges/workspace/undo.ts'),
    import('./edges/workspace/worktree.ts'),
  ])
  const { config, dataDir } = loaded
  const agents = presets.agentDefinitions(config, practiceAgent())
  const defaultAgent = presets.defaultAgent(config)
  const bridge = mcpBridge()
  const undoStore = undo.createUndoStore({ directory: join(dataDir, 'undo'), clock })
  const launch: Parameters<typeof createHost>[0]['launch'] = async (agent, sessionId, workspace, isolation) => {
    const commonDir = await worktrees.commonGitDir(workspace)
    return launching.prepareLaunch({
      agent,
      workspace,
      sessionId,
      isolation: isolation ?? agent.isolation,
      dataDir,
      hostEnv: process.env,
      extraWritable: commonDir === null ? [] : [commonDir],
      bridgeFiles: bridge.files,
    })
  }
  const host = createHost({
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
    addWorktree: (repo, name) => worktrees.addWorktree({ repo, sessionId: name, parent: worktreesOf(dataDir) }),
    async removeWorktree(repo, path) {
      const removed = await worktrees.removeWorktree({ repo, path })
      if (!removed.ok || removed.value.kept !== null)
        log.info({ path, why: removed.ok ? removed.value.kept : removed.fault.message }, 'a worktree was kept')
    },
    openFiles(sessionId, root) {
      const opened = files.openWorkspace({ root, refused })
      return {
        files: opened,
        undo: {
          keep: (input) => undoStore.keep({ ...input, sessionId, files: opened }),
          compare: (askId) => undoStore.compare(askId, opened),
        },
      }
    },
  })
  const path = process.env['PATH'] ?? ''
  const list = createList({
    dataDir,
    log,
    agents,
    defaultAgent,
    version,
    launch,
    find: (agent) => launching.findProgram(agent.command.replace(/^~\//, `${homedir()}/`), path),
    async usualIsolation({ isolation }) {
      if (isolation === 'none') return 'none'
      const { works } = await bubblewrap.probeBubblewrap(path, process.getuid?.() === 0)
      return works || isolation === 'sandbox' ? 'sandbox' : 'none'
    },
  })
  const confine: Loaded['confine'] = async ({ id, agent: name, workspaceRoot }, argv) => {
    const agent = agents.get(name ?? defaultAgent)
    if (!agent) return notFound('agent', name ?? defaultAgent)
    const launched = await launch(agent, id, workspaceRoot, 'sandbox')
    return launched.ok ? ok(launching.confineCommand(launched.value, argv, {})) : launched
  }
  return { host, list, confine }
}

/** Beside the data directory, which no agent can see. */
export const worktreesOf = (dataDir: string): string => `${dataDir}.worktrees`

/** The agent that comes with Signalbox: beside the bundle, or its source. */
function practiceAgent(): { command: string; args: readonly string[] } {
  const source = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(new URL(source ? './practice/main.ts' : './practice-agent.js', import.meta.url))
  return { command: process.execPath, args: [file] }
}

/** `signalbox mcp`, for agents that take MCP servers only as programs, and the files it is made of. */
function mcpBridge(): OwnTools['bridge'] & { files: readonly string[] } {
  const source = import.meta.url.endsWith('.ts')
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const program = at(source ? './bin.ts' : './signalbox.js')
  const files = [process.execPath, dirname(program), at('../package.json'), ...(source ? [at('../node_modules')] : [])]
  return { command: process.execPath, args: [program, 'mcp'], files }
}
