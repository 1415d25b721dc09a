import { authorizeAction } from '../../app/authorize-action.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { TokenId, UserId } from '../../domain/user/id.ts'
import { newId } from '../../lib/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Caller } from './auth.ts'
import { mostMcpResponses } from './open-responses.ts'
import { failed } from './respond.ts'
import { admit, type RouteDeps, type Web } from './route.ts'

/** Handles requests of agents that connect to us, after authentication. */
export type McpEndpoint = {
  fetch(request: Request, caller: McpCaller): Promise<Response>
  /** Ends held calls, so that the listener can close. */
  close(): Promise<void>
}

type McpCaller = {
  readonly userId: UserId
  readonly tokenId: TokenId | null
  /** Set if the token belongs to one session. */
  readonly sessionId: SessionId | null
  readonly listener: 'tcp' | 'socket'
}

const paths = ['/mcp', '/sse', '/messages'] as const

export function mountMcp(web: Web, deps: RouteDeps, mcp: McpEndpoint): void {
  for (const path of paths)
    web.all(path, async (context) => {
      const started = performance.now()
      const requestId = newId<string>()
      const response = await deps.inFlight.run(requestId, async () => {
        const caller = await admit(context, deps, false)
        if (!caller.ok) return failed(caller.fault, requestId)
        const full = deps.openResponses.take(caller.value, context.env.outgoing, mostMcpResponses)
        if (full) return failed(full.fault, requestId)
        const agent = agentOf(caller.value, context.env.listener === 'socket' ? 'socket' : 'tcp')
        return agent.ok ? mcp.fetch(context.req.raw, agent.value) : failed(agent.fault, requestId)
      })
      deps.observe(path, context.req.method, response.status, (performance.now() - started) / 1000)
      return response
    })
}

/** An agent, or a person's own program, but not a browser. */
function agentOf({ actor, via, credential }: Caller, listener: McpCaller['listener']): Result<McpCaller> {
  if (via === 'cookie')
    return fail({
      kind: 'forbidden',
      code: 'needs_token',
      message: 'MCP needs a token; a browser login is not enough.',
    })
  const refused = authorizeAction(actor, 'mcp.connect')
  if (refused) return refused
  if (!('userId' in actor)) throw new Error(`nobody connects over MCP as ${actor.kind}`)
  const { tokenId, sessionId } = 'sessionId' in actor ? actor : { tokenId: credential.tokenId, sessionId: null }
  return ok({ userId: actor.userId, tokenId, sessionId, listener })
}
