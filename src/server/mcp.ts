import type { App } from '../app/app.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { McpEndpoint } from '../edges/http/mcp-endpoint.ts'
import type { McpHttp } from '../edges/mcp/http/http.ts'
import type { ToolDeps } from '../edges/mcp/deps.ts'
import type { Tools } from '../edges/mcp/tools/index.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { Clock } from '../lib/clock.ts'
import { lazy } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import type { Result } from '../lib/result.ts'

type McpParts = ToolDeps & {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  version: string
  /** `[[workspace]]` of the configuration as it is now. */
  workspaces: () => LoadedConfig['config']['workspace']
  locateWorkspace(path: string): Promise<Result<{ path: string }>>
}

export type Mcp = McpEndpoint & {
  load(): Promise<void>
  /** Sessions whose client has a held call, or sent something since then. */
  inContact(since: number): ReadonlySet<SessionId>
  readonly tools: { knows(tool: string): boolean; accepts(tool: string, input: unknown): boolean }
}

/** The resource that subscribed clients should read again. */
const changedResource = (type: string): string | null =>
  type.startsWith('ask.') ? 'signalbox://inbox' : type.startsWith('message.') ? 'signalbox://messages' : null

type McpEdge = { http: McpHttp; tools: Tools; seenSince(time: number): ReadonlySet<SessionId>; close(): void }

/** The endpoint for agents that connect to us. Its code is loaded with the first of them. */
export function createMcp(deps: McpParts): Mcp {
  const edge = lazy(() => loadEdge(deps))
  // Connections that lost their right are dropped at once, not with the next request.
  const listening = deps.app.tail.listen((events) => {
    for (const event of events) {
      const { sessionId } = event
      const uri = changedResource(event.type)
      const http = edge.loaded?.http
      if (uri !== null && sessionId !== null) http?.tell(sessionId, { kind: 'resource_updated', uri })
      if (event.type === 'token.revoked') http?.dropWhere(({ tokenId }) => tokenId === event.data.id)
      if (event.type === 'user.removed') http?.dropWhere(({ userId }) => userId === event.data.id)
      // Written by another version: the person it is about connects again.
      if (event.type === 'unreadable' && /^(token\.revoked|user\.removed)$/.test(event.written.type))
        http?.dropWhere(({ userId }) => userId === event.ownerUserId)
    }
  })
  return {
    fetch: async (request, caller) => (await edge.get()).http.fetch(request, caller),
    load: async () => void (await edge.get()),
    inContact(since) {
      const { loaded } = edge
      return loaded ? new Set([...loaded.http.held().keys(), ...loaded.seenSince(since)]) : new Set()
    },
    tools: {
      knows: (tool) => edge.loaded?.tools.find(tool) !== undefined,
      accepts: (tool, input) => edge.loaded?.tools.find(tool)?.accepts(input) ?? false,
    },
    async close() {
      listening[Symbol.dispose]()
      const ready = await edge.requested()
      await ready?.http.close()
      ready?.close()
    },
  }
}

async function loadEdge(deps: McpParts): Promise<McpEdge> {
  const { app, clock, version, locateWorkspace } = deps
  const { config } = deps.loaded
  const log = deps.log.child({ part: 'mcp' })
  const [{ createMcpHttp }, { createMcpServers }, { createMcpSessions }] = await Promise.all([
    import('../edges/mcp/http/http.ts'),
    import('../edges/mcp/server.ts'),
    import('../edges/mcp/sessions.ts'),
  ])
  const sessions = createMcpSessions({
    app,
    clock,
    log,
    defaultWorkspace: config.workspaceRoot,
    workspaces: deps.workspaces,
    locateWorkspace,
  })
  const servers = createMcpServers({
    ...deps,
    app,
    clock,
    log,
    version,
    sessions,
    holdMs: config.mcp.holdSeconds * 1000,
    stallEnabled: () => config.stall.enabled,
  })
  const http = createMcpHttp({
    serverFor: servers.serverFor,
    describe: servers.describe,
    sessions,
    connections: app.connections,
    clock,
    log,
    bodyLimit: config.http.bodyLimitBytes,
    lostAfterMs: config.mcp.lostAfterSeconds * 1000,
  })
  return { http, tools: servers.tools, seenSince: sessions.seenSince, close: servers.close }
}
