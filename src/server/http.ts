import { createMcpClients } from './mcp-clients.ts'
import { createTemplates } from '../app/use-cases/templates.ts'
import { createAnswerAsk } from '../app/use-cases/answer-ask.ts'
import { shownConfig, type LoadedConfig } from '../config/index.ts'
import type { Database } from '../db/open.ts'
import { startHttp, type HttpDeps, type HttpServer } from '../edges/http/server.ts'
import { createPracticeRepo } from '../edges/workspace/practice-repo.ts'
import type { Result } from '../lib/result.ts'
import { socketPath } from '../lib/socket-path.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import { checkHealth } from './health.ts'
import { createRegisteredCommands } from './registered-commands.ts'

/** The HTTP server, for parts that are made before it listens. */
export type HttpSlot = {
  /** Null until it listens. */
  readonly current: HttpServer | null
  readonly ready: Promise<HttpServer>
  set(server: HttpServer): void
}

export function createHttpSlot(): HttpSlot {
  const ready = Promise.withResolvers<HttpServer>()
  let current: HttpServer | null = null
  return {
    get current() {
      return current
    },
    ready: ready.promise,
    set(server) {
      current = server
      ready.resolve(server)
    },
  }
}

/** The last edge to open: from here on people and programs get in. */
export function openHttp(
  { loaded, log, clock, io, stop, startedAt, workspaces }: ServerContext,
  {
    database,
    core,
    edges,
    push,
    chats = null,
  }: { database: Database; core: Core; edges: Edges; push: HttpDeps['push']; chats?: HttpDeps['chats'] },
): Promise<Result<HttpServer>> {
  const { config, dataDir } = loaded
  const { app, policies } = core
  const { workspace, files, terminals, agents, mcp, catchUp, sessions, refused, administration } = edges
  return startHttp({
    app,
    clock,
    log: log.child({ part: 'http' }),
    facts: { version: io.version, dataDirectory: dataDir, database: database.flavor.name, startedAt },
    doctor: async () =>
      checkHealth({
        app,
        database,
        dataDir,
        acp: config.acp,
        agents: await agents.list('none'),
        engine: config.containers.engine,
        configFault: workspaces.fault(),
      }),
    config: () => shownConfig(loaded),
    ...addresses(loaded),
    locateRepo: workspace.locateRepo,
    findRepos: workspace.findRepos,
    groupFolders: edges.groupFolders,
    locateAgain: workspace.locateAgain,
    sessions,
    answer: createAnswerAsk(app, terminals, administration.credentials),
    administration,
    practiceRepo: createPracticeRepo({
      root: config.agentWorkspaceRoot,
      dataDir,
      locateRepo: workspace.locateRepo,
    }),
    agents,
    mcpClients: createMcpClients(loaded),
    mcp,
    checkpoints: files.checkpoints,
    changes: files.gitLife,
    policy: policies,
    push,
    chats,
    commands: createRegisteredCommands(config.commands, refused, agents.confineOnce),
    templates: createTemplates({
      app,
      locateAgain: workspace.locateAgain,
      readFiles: async (root) => (await import('../edges/workspace/template-files.ts')).readTemplateFiles(root),
    }),
    undo: files.applying.undo,
    terminals,
    catchUp,
    silentAfterMs: config.stall.inactivityThresholdSeconds * 1000,
    stop: stop.request,
  })
}

/** Where it listens, and whom it answers there. */
function addresses({ config, dataDir, sources }: LoadedConfig) {
  const { host, tlsCert, tlsKey, publicUrl, allowedHosts, trustedProxies, bodyLimitBytes } = config.http
  return {
    tcp: {
      host,
      port: config.httpPort,
      anyPort: sources['http_port'] === 'default',
      tls: tlsCert !== null && tlsKey !== null ? { cert: tlsCert, key: tlsKey } : null,
    },
    socketPath: socketPath(dataDir, config.ipcName),
    gatePath: socketPath(dataDir, 'gate'),
    publicUrl,
    allowedHosts,
    trustedProxies,
    bodyLimit: bodyLimitBytes,
  }
}
