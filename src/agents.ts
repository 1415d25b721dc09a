import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from './app/app.ts'
import type { ConfineOnce } from './commands.ts'
import type { LoadedConfig } from './config/index.ts'
import type { Host } from './edges/acp/host/host.ts'
import type { createSettingsGuard } from './edges/workspace/settings-guard.ts'
import type { Confined } from './edges/acp/launch/launch.ts'
import type { NetworkMeans } from './edges/acp/launch/network.ts'
import type { OwnTools } from './edges/acp/own-tools.ts'
import type { Agents } from './edges/http/handlers/agents.ts'
import { replacedWorkspace } from './edges/workspace/faults.ts'
import { placeOf } from './keeper/place.ts'
import type { Ask } from './domain/ask/schema.ts'
import type { Session, SessionId } from './domain/session/schema.ts'
import { systemStanding } from './domain/user/actor.ts'
import { lookAgain } from './lib/directory-mark.ts'
import { notFound, ok, type Result } from './lib/result.ts'
import type { Clock } from './lib/clock.ts'
import { protectedPart } from './lib/protected-files.ts'
import type { Logger } from './lib/log.ts'
import { socketPath } from './lib/socket-path.ts'

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
  /** Our port, once it is known. */
  ownPort(): number | null
}

type Argv = readonly [string, ...string[]]
/** How a program of an agent's session is started: behind the same border, or null where there is none. */
type Confine = (id: SessionId, argv: Argv) => Promise<Result<Confined | null>>

/** The agents this node hosts. What they need is loaded with the first of them, so that a server without any stays small. */
export function createAgents(deps: AgentsDeps): Agents & {
  adopt(): Promise<void>
  stop(agents: 'end' | 'keep'): Promise<void>
  confine: Confine
  confineOnce: ConfineOnce
} {
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
    async confineOnce(id, argv) {
      const session = await deps.app.read.session(systemStanding('terminal'), id)
      if (!session.ok || session.value.isolation !== 'sandbox') return ok(null)
      return (await load()).confineOnce(session.value, argv)
    },
    async adopt() {
      const hosted = await deps.app.read.hosted(deps.nodeId)
      const { dataDir } = deps.loaded
      const traces = existsSync(placeOf(dataDir).socket) || existsSync(reservedOf(dataDir))
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
  confineOnce(session: Session, argv: Argv): ReturnType<ConfineOnce>
}

async function build(deps: AgentsDeps): Promise<Loaded> {
  const { app, clock, log, loaded, version, nodeId, refused, ownTools } = deps
  const [{ createHost }, { createList }, launching, bubblewrap, presets, files, undo, worktrees, guarding] =
    await Promise.all([
      import('./edges/acp/host/host.ts'),
      import('./edges/acp/host/list.ts'),
      import('./edges/acp/launch/launch.ts'),
      import('./lib/bubblewrap.ts'),
      import('./edges/acp/launch/presets.ts'),
      import('./edges/workspace/workspace-files.ts'),
      import('./edges/workspace/undo-store.ts'),
      import('./edges/workspace/worktree.ts'),
      import('./edges/workspace/settings-guard.ts'),
    ])
  const { config, dataDir } = loaded
  const agents = presets.agentDefinitions(config, practiceAgent())
  const defaultAgent = presets.defaultAgent(config)
  const bridge = mcpBridge()
  const undoStore = undo.createUndoStore({ directory: join(dataDir, 'undo'), clock })
  const guard = guarding.createSettingsGuard(settingsOf(app, dataDir))
  const network = networkMeans(deps)
  type Launch = Parameters<typeof createHost>[0]['launch']
  const launchIn = async (
    means: NetworkMeans,
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
    // Nothing runs there after all, or free.
    if ((!launched.ok || launched.value.isolation === 'none') && !guard.isWatching(sessionId))
      await guard.open(sessionId)
    return launched
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
        .catch((error: unknown) => log.warn({ error: String(error) }, 'empty directories were left in a workspace')),
  })
  const path = process.env['PATH'] ?? ''
  const list = createList({
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
  ): Promise<Result<Confined>> => {
    const agent = agents.get(name ?? defaultAgent)
    if (!agent) return notFound('agent', name ?? defaultAgent)
    // What is in its place now would be opened for the program.
    if ((await lookAgain(workspaceRoot, await app.read.workspaceMark(id))) === 'replaced') {
      await refused(workspaceRoot)
      return replacedWorkspace(workspaceRoot)
    }
    const launched = await start(agent, id, workspaceRoot, 'sandbox')
    return launched.ok ? ok(launching.confineCommand(launched.value, argv, {})) : launched
  }
  const confine: Loaded['confine'] = (session, argv) => confineIn(session, argv, launch)
  const confineOnce: Loaded['confineOnce'] = async (session, argv) => {
    const { id } = session
    // The keeper lets out whoever runs beside the agent. Without the agent there is nobody to do so.
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
  return { host: { ...host, adopt: () => host.adopt().then(sweep) }, list, confine, confineOnce }
}

/** What no policy ever answers for is what agents may not write either, but for files of Git: those it guards itself. */
function settingsOf(app: App, dataDir: string): Parameters<typeof createSettingsGuard>[0] {
  const seeing = systemStanding('workspace')
  return {
    directory: reservedOf(dataDir),
    isSetting(path) {
      const part = protectedPart(path)
      return part !== null && !/^\.(?:git|hg|svn|jj)|~\d/i.test(part)
    },
    async isApproved(sessionId, path) {
      const page = {
        sessionId: sessionId as SessionId,
        statuses: ['answered', 'applying', 'consumed'] as const,
        limit: 200,
      }
      const asks = await app.read.asks(seeing, page)
      const allowed = asks.ok ? asks.value.filter(({ kind, answer }) => isChange(kind) && isConsent(answer)) : []
      return allowed.some(({ subject }) => names(subject, path))
    },
    async tell(id, text) {
      await app.dispatch({ type: 'session.alert', id: id as SessionId, what: 'settings_appeared', text }, seeing.actor)
    },
  }
}

const onlyLooks = ['read', 'search', 'fetch', 'think']

/** Whether an ask is about writing that file: it is named as a path, not in passing. */
function names(subject: Ask['subject'], path: string): boolean {
  const call = subject.kind === 'permission' ? subject.toolCall : null
  const kind = typeof call === 'object' && call !== null && 'kind' in call ? call['kind'] : null
  if (typeof kind === 'string' && onlyLooks.includes(kind)) return false
  return wordsOf(subject).some((word) => word === path || (word.startsWith('/') && word.endsWith(`/${path}`)))
}

/** Every text in a value, and the names of its parts: some agents list changes by path. */
const wordsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.keys(value).concat(Object.values(value).flatMap(wordsOf))
      : []

const isChange = (kind: Ask['kind']): boolean => kind === 'diff' || kind === 'permission'
const isConsent = (answer: Ask['answer']): boolean => answer?.outcome === 'approve' || answer?.outcome === 'select'

/** Which directories were made in workspaces for as long as an agent runs there. */
const reservedOf = (dataDir: string): string => join(dataDir, 'run', 'reserved')

/** Beside the data directory, which no agent can see. */
export const worktreesOf = (dataDir: string): string => `${dataDir}.worktrees`

/** The agent that comes with Signalbox: beside the bundle, or its source. */
function practiceAgent(): { command: string; args: readonly string[] } {
  const source = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(new URL(source ? './practice/main.ts' : './practice-agent.js', import.meta.url))
  return { command: process.execPath, args: [file] }
}

/** What it takes to give agents a network of their own. */
function networkMeans({ loaded: { config, dataDir }, ownPort }: AgentsDeps): NetworkMeans {
  const source = import.meta.url.endsWith('.ts')
  const inside = fileURLToPath(new URL(source ? './relay/main.ts' : './relay.js', import.meta.url))
  const database = config.database.url === null ? null : URL.parse(config.database.url)
  return {
    dataDir,
    inside: [process.execPath, '--max-semi-space-size=1', inside],
    gate: config.acp.ownTools ? socketPath(dataDir, 'gate') : null,
    ownPort,
    guarded: database === null ? [] : [Number(database.port || 5432)],
    relays: true,
  }
}

/** `signalbox mcp`, for agents that take MCP servers only as programs, and the files it is made of. */
function mcpBridge(): OwnTools['bridge'] & { files: readonly string[] } {
  const source = import.meta.url.endsWith('.ts')
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const program = at(source ? './bin.ts' : './signalbox.js')
  const files = [process.execPath, dirname(program), at('../package.json'), ...(source ? [at('../node_modules')] : [])]
  return { command: process.execPath, args: [program, 'mcp'], files }
}
