import type { App } from './app/app.ts'
import type { LoadedConfig } from './config/index.ts'
import type { McpEndpoint } from './edges/http/mcp-endpoint.ts'
import type { McpHttp } from './edges/mcp/http/http.ts'
import type { Means } from './edges/mcp/means.ts'
import type { Tools } from './edges/mcp/tools/index.ts'
import type { SessionId } from './domain/session/id.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import type { Result } from './lib/result.ts'

type McpDeps = Means & {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  version: string
  locateWorkspace(path: string): Promise<Result<{ path: string }>>
}

export type Mcp = McpEndpoint & {
  load(): Promise<void>
  /** Sessions whose client has a call that is held, or was heard since. */
  inContact(since: number): ReadonlySet<SessionId>
  readonly tools: { knows(tool: string): boolean; accepts(tool: string, input: unknown): boolean }
}

/** What a client that listens would read anew. */
const changedResource = (type: string): string | null =>
  type.startsWith('ask.') ? 'signalbox://inbox' : type.startsWith('message.') ? 'signalbox://messages' : null

type Loaded = { http: McpHttp; tools: Tools; seenSince(time: number): ReadonlySet<SessionId>; close(): void }

/** The door for agents that connect to us. What it needs is loaded with the first of them. */
export function createMcp(deps: McpDeps): Mcp {
  let loading: Promise<Loaded> | null = null
  let loaded: Loaded | null = null
  const load = (): Promise<Loaded> => {
    loading ??= build(deps).then((ready) => (loaded = ready))
    return loading
  }
  // Who may no longer be here is let go of at once, not with the next request.
  const leaving = deps.app.tail.listen((events) => {
    for (const event of events) {
      const { sessionId } = event
      const uri = changedResource(event.type)
      if (uri !== null && sessionId !== null) loaded?.http.tell(sessionId, { kind: 'resource_updated', uri })
      if (event.type === 'token.revoked') loaded?.http.dropWhere(({ tokenId }) => tokenId === event.data.id)
      if (event.type === 'user.removed') loaded?.http.dropWhere(({ userId }) => userId === event.data.id)
      // Written by another version: whoever it is about connects anew.
      if (event.type === 'unreadable' && /^(token\.revoked|user\.removed)$/.test(event.written.type))
        loaded?.http.dropWhere(({ userId }) => userId === event.ownerUserId)
    }
  })
  return {
    fetch: async (request, caller) => (await load()).http.fetch(request, caller),
    load: async () => void (await load()),
    inContact: (since) => (loaded ? new Set([...loaded.http.held().keys(), ...loaded.seenSince(since)]) : new Set()),
    tools: {
      knows: (tool) => loaded?.tools.find(tool) !== undefined,
      accepts: (tool, input) => loaded?.tools.find(tool)?.accepts(input) ?? false,
    },
    async close() {
      leaving[Symbol.dispose]()
      const ready = await loading
      await ready?.http.close()
      ready?.close()
    },
  }
}

async function build(deps: McpDeps): Promise<Loaded> {
  const { app, clock, version, locateWorkspace } = deps
  const { config } = deps.loaded
  const log = deps.log.child({ part: 'mcp' })
  const [{ createMcpHttp }, { createMcpServers }, { createMcpSessions }] = await Promise.all([
    import('./edges/mcp/http/http.ts'),
    import('./edges/mcp/server.ts'),
    import('./edges/mcp/sessions.ts'),
  ])
  const sessions = createMcpSessions({
    app,
    clock,
    log,
    defaultWorkspace: config.workspaceRoot,
    workspaces: () => config.workspace,
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
