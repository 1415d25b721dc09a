import { once } from 'node:events'
import { createServer, request as httpRequest, type Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { TokenId } from '../../src/domain/user/id.ts'
import { createAuthenticator } from '../../src/edges/http/auth.ts'
import { checkHost, checkOrigin, guardConfig } from '../../src/edges/http/guard.ts'
import { bearerOf } from '../../src/edges/http/request.ts'
import { failed } from '../../src/edges/http/respond.ts'
import { createMcpHttp, type McpHttp } from '../../src/edges/mcp/http/http.ts'
import { createMcpSessions } from '../../src/edges/mcp/sessions.ts'
import { systemClock as clock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger as log } from '../../src/lib/log.ts'
import { ok } from '../../src/lib/result.ts'
import { newSecret, sha256 } from '../../src/lib/secret.ts'
import { openWorld } from '../world.ts'
import { fixtureServer } from './mcp-fixture-server.ts'

/**
 * A program: the fixtures of MCP's conformance suite behind our transport, sessions, tokens and guard. The suite sends no
 * token, so a proxy in front adds one. Prints both addresses, and ends with its input.
 */
await using world = await openWorld('sqlite')
const { app } = world
const owner = await world.person()
const token = newSecret('sbx_')
const tokenId = newId<TokenId>()
const made = { name: 'fixtures', scope: 'agent' as const, sessionId: null, expiresAt: null, hash: sha256(token) }
await world.do({ type: 'token.create', id: tokenId, userId: owner.userId, ...made }, owner)

const auth = createAuthenticator({ app, clock: world.clock })
const guard = guardConfig({ host: '127.0.0.1', publicUrl: null, allowedHosts: [] })
const locateWorkspace = async (path: string) => ok({ path })
const sessions = createMcpSessions({
  app,
  clock,
  log,
  defaultWorkspace: '/work',
  workspaces: () => [],
  locateWorkspace,
})
const server = (): ReturnType<typeof fixtureServer> => fixtureServer({ tell: (kind) => mcp.tell(null, { kind }) })
const mcp: McpHttp = createMcpHttp({
  serverFor: server,
  describe: server,
  sessions,
  connections: app.connections,
  clock,
  log,
  bodyLimit: 16 * 1024 * 1024,
  lostAfterMs: 900_000,
})

async function answer(request: Request): Promise<Response> {
  const header = (name: string) => request.headers.get(name) ?? undefined
  const refused = checkHost(guard, header('host')) ?? checkOrigin(guard, header('host'), header('origin'))
  if (refused) return failed(refused.fault, newId())
  const caller = await auth.authenticate({
    listener: 'tcp',
    bearer: bearerOf(header('authorization')),
    cookies: [],
    key: null,
  })
  if (!caller.ok) return failed(caller.fault, newId())
  const { actor } = caller.value
  if (actor.kind !== 'agent') throw new Error('the token is an agent’s')
  return mcp.fetch(request, {
    userId: actor.userId,
    tokenId: actor.tokenId,
    sessionId: actor.sessionId,
    listener: 'tcp',
  })
}

const listen = async (listener: NodeServer): Promise<number> => {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return (listener.address() as AddressInfo).port
}
const listener = getRequestListener(answer)
const inner = createServer((incoming, outgoing) => void listener(incoming, outgoing))
const port = await listen(inner)
const proxy = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming
  const passed = httpRequest(
    { port, host: '127.0.0.1', method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
    (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    },
  )
  passed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
})
const open = await listen(proxy)
process.stdout.write(
  `${JSON.stringify({ url: `http://127.0.0.1:${open}/mcp`, closed: `http://127.0.0.1:${port}/mcp` })}\n`,
)

process.stdin.resume()
await once(process.stdin, 'end')
await mcp.close()
for (const each of [proxy, inner]) {
  each.closeAllConnections()
  each.close()
}
