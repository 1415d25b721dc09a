import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import type { ConnectionRecords } from '../../src/domain/connection/records.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { TokenId, UserId } from '../../src/domain/user/id.ts'
import { createMcpHttp, type McpHttp } from '../../src/edges/mcp/http/http.ts'
import type { Link } from '../../src/edges/mcp/link.ts'
import type { McpCaller, TransportSessions } from '../../src/edges/mcp/sessions.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { fail, ok } from '../../src/lib/result.ts'
import { openWorld, type World } from '../world.ts'

/** A call of the tool `hold`: it lasts until the test releases it. */
export type HeldCall = { readonly id: unknown; readonly link: Link; readonly context: ServerContext; release(): void }

/** One run of the server: the transport behind a real HTTP listener. */
export type Life = AsyncDisposable & {
  readonly mcp: McpHttp
  readonly url: string
  /** Calls of `hold` that began in this run, in order. */
  readonly holds: HeldCall[]
  /** Like kill -9: nothing more is written, every connection breaks. */
  kill(): Promise<void>
}

export type McpHttpHarness = AsyncDisposable & {
  readonly world: World
  readonly caller: McpCaller
  readonly goodbyes: SessionId[]
  readonly attached: SessionId[]
  begin(more?: { bodyLimit?: number }): Promise<Life>
  /** The caller with this bearer token, from now on. */
  admit(bearer: string, caller: Partial<McpCaller>): void
}

/** The transport over a real database and real HTTP; only tools and sessions are fakes. */
export async function openMcpHttpHarness(): Promise<McpHttpHarness> {
  const world = await openWorld('sqlite')
  const owner = await world.person()
  const caller: McpCaller = { userId: owner.userId, tokenId: null, sessionId: null, listener: 'socket' }
  const callers = new Map<string, McpCaller>()
  const goodbyes: SessionId[] = []
  const attached: SessionId[] = []
  const sessions: TransportSessions = {
    async attach(who, query) {
      const wanted = query.get('session_id') as SessionId | null
      if (query.get('workspace_id') === 'nowhere')
        return fail({ kind: 'not_found', code: 'unknown_workspace', message: 'There is no workspace nowhere.' })
      const sessionId = wanted ?? who.sessionId ?? (await world.session(owner))
      attached.push(sessionId)
      const actor = { kind: 'agent' as const, userId: who.userId, tokenId: who.tokenId, sessionId }
      return ok({ sessionId, actor, bound: false })
    },
    async find(who, query) {
      return this.attach(who, query)
    },
    connected: async () => {},
    seen: () => {},
    goodbye: async ({ sessionId }) => void goodbyes.push(sessionId),
  }

  async function begin({ bodyLimit = 16 * 1024 * 1024 } = {}): Promise<Life> {
    const holds: HeldCall[] = []
    let dead = false
    const alive = <T>(work: () => Promise<T>): Promise<T> => (dead ? new Promise(() => {}) : work())
    const { connections: records } = world.app
    const connections: ConnectionRecords = {
      ...records,
      touch: (...given) => alive(() => records.touch(...given)),
      appendEvents: (...given) => alive(() => records.appendEvents(...given)),
    }
    const mcp = createMcpHttp({
      serverFor: (link) => toolServer(link, holds),
      describe: () => toolServer(null, holds),
      sessions,
      connections,
      clock: world.clock,
      log: silentLogger,
      bodyLimit,
      lostAfterMs: 900_000,
    })
    const answer = getRequestListener((request) => {
      const bearer = request.headers.get('authorization')?.slice('Bearer '.length)
      return mcp.fetch(request, (bearer === undefined ? undefined : callers.get(bearer)) ?? caller)
    })
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const shut = () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    }
    return {
      mcp,
      url: `http://127.0.0.1:${port}`,
      holds,
      kill() {
        dead = true
        return shut()
      },
      async [Symbol.asyncDispose]() {
        if (dead) return
        await mcp.close()
        await shut()
      },
    }
  }

  return {
    world,
    caller,
    goodbyes,
    attached,
    begin,
    admit: (bearer, more) =>
      void callers.set(bearer, { ...caller, tokenId: newId<TokenId>(), listener: 'tcp', ...more }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

export const someone = () => newId<UserId>()

function toolServer(link: Link | null, holds: HeldCall[]): Server {
  const server = new Server(
    { name: 'harness', version: '1' },
    { capabilities: { tools: {}, resources: { subscribe: true } } },
  )
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } })
  server.setRequestHandler('tools/list', () => ({ tools: ['echo', 'hold', 'who'].map(tool) }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
    if (!link) throw new Error('nobody is linked')
    if (params.name === 'echo') return say(JSON.stringify(params.arguments ?? {}))
    if (params.name === 'who')
      return say(
        JSON.stringify({ client: server.getClientVersion()?.name, key: link.callKey, session: link.sessionId }),
      )
    const progressToken = context.mcpReq._meta?.progressToken
    if (progressToken !== undefined)
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    await new Promise<void>((release) => holds.push({ id: context.mcpReq.id, link, context, release }))
    return say('let go')
  })
  return server
}
