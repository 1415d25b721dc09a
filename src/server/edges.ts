import type { Administration } from '../app/administration/administration.ts'
import type { App } from '../app/app.ts'
import { createCatchUp, type CatchUp } from '../app/catch-up/catch-up.ts'
import { createOutgoing } from '../app/chat/outgoing/outgoing.ts'
import type { Posts } from '../app/chat/posts.ts'
import { createInputs } from '../app/inputs.ts'
import type { Places } from '../app/use-cases/places.ts'
import { createSessions, type Sessions } from '../app/use-cases/start-session.ts'
import type { Database } from '../db/open.ts'
import { createGroupFolders, groupsOf, type GroupFolders } from '../edges/workspace/group-folders.ts'
import { createWorkspaceLocator, createWorkspaceMarks } from '../edges/workspace/workspace-locator.ts'
import type { Containers } from '../lib/container/containers.ts'
import { lazy, type Lazy } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import { createAgents, worktreesOf } from './agents.ts'
import { groupChoice, openContainers } from './containers.ts'
import type { ServerContext } from './context.ts'
import type { HttpSlot } from './http.ts'
import { createMcp, type Mcp } from './mcp.ts'
import { createTerminals, type TerminalPart } from './terminals.ts'
import { createWorkspaceFiles, type WorkspaceParts } from './workspace.ts'

/** The parts of this node that agents, terminals and files need. */
export type Edges = {
  workspace: ReturnType<typeof createWorkspaceLocator>
  places: Places
  groupFolders: GroupFolders
  files: WorkspaceParts
  terminals: TerminalPart
  agents: ReturnType<typeof createAgents>
  mcp: Mcp
  catchUp: CatchUp
  administration: Administration
  /** The same for people, chats and agents. */
  sessions: Sessions
  containers: Lazy<Containers>
  /** Reports a path that leads out of its workspace. */
  refused(path: string): Promise<void>
}

/** They need each other: what is made later is called through a function. */
export function createEdges(
  context: ServerContext,
  app: App,
  http: HttpSlot,
  { database, posts, administration }: { database: Database; posts: Posts; administration: Administration },
): Edges {
  const { loaded, log, clock, nodeId } = context
  const { version } = context.io
  const { config, dataDir } = loaded
  const refused = refusedPaths(app, log)
  const workspace = createWorkspaceLocator({
    root: config.agentWorkspaceRoot,
    dataDir,
    worktrees: worktreesOf(dataDir),
    groups: groupsOf(dataDir),
    refused,
  })
  const groupFolders = createGroupFolders({ root: groupsOf(dataDir), refused })
  const places: Places = { ...workspace, locateGroupFolder: groupFolders.prepare }
  const files = createWorkspaceFiles({
    app,
    clock,
    log,
    dataDir,
    node: nodeId,
    refused,
    endAgent: (id) => agents.gone(id),
    locateAgain: workspace.locateAgain,
    sameDirectory: createWorkspaceMarks(worktreesOf(dataDir)).holds,
    forges: forgesOf(config.pull_requests),
  })
  const terminals = createTerminals({
    app,
    clock,
    log,
    loaded,
    nodeId,
    confine: (id, argv) => agents.confine(id, argv),
  })
  const catchUp = createCatchUp({ app, readMarks: app.readMarks, terminals, clock })
  const inputs = createInputs({ dispatch: app.dispatch, read: app.read.inputsOf(clock), terminals })
  const { locateWorkspace } = workspace
  const chat = createOutgoing({
    app,
    database,
    posts,
    clock,
    sessions: {
      start: (wanted, by) => sessions.start(wanted, by),
      continue: (...given) => sessions.continue(...given),
    },
  })
  const mcp = createMcp({
    app,
    clock,
    log,
    loaded,
    version,
    workspaces: context.workspaces.mappings,
    locateWorkspace,
    ...files,
    terminals,
    inputs,
    catchUp,
    chat,
    administration,
  })
  const containers = lazy(() => openContainers(loaded))
  const agents = createAgents({
    app,
    clock,
    log,
    loaded,
    version,
    nodeId,
    refused,
    ownTools: {
      load: mcp.load,
      endpoint: async () => (config.acp.ownTools ? { url: `${(await http.ready).local}/mcp` } : null),
      ...mcp.tools,
    },
    ownPort: () => http.current?.port ?? null,
    saveFile: files.saveFile,
    groupFolders,
    containers,
    containerFor: groupChoice(config, app.read, administration),
  })
  const sessions: Sessions = createSessions({
    app,
    places,
    hosting: agents,
    defaultWorkspace: config.workspaceRoot,
  })
  return {
    workspace,
    places,
    groupFolders,
    files,
    terminals,
    agents,
    mcp,
    catchUp,
    sessions,
    refused,
    administration,
    containers,
  }
}

const refusedPaths = (app: App, log: Logger) => async (path: string) => {
  log.warn({ path }, 'refused a path outside the workspace root')
  await app.dispatch(
    { type: 'security.report', what: 'path_refused', detail: path },
    { kind: 'system', name: 'workspace' },
  )
}

const forgesOf = ({ githubHosts, gitlabHosts }: { githubHosts: readonly string[]; gitlabHosts: readonly string[] }) =>
  Object.fromEntries([
    ...githubHosts.map((name) => [name.toLowerCase(), 'github' as const]),
    ...gitlabHosts.map((name) => [name.toLowerCase(), 'gitlab' as const]),
  ])
