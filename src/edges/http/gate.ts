import { authorizeAction } from '../../app/authorize-action.ts'
import { newId } from '../../lib/id.ts'
import { fail, type Failed } from '../../lib/result.ts'
import { checkHost, checkOrigin } from './guard.ts'
import { bearerOf, type HttpContext } from './request.ts'
import { failed } from './respond.ts'
import type { RouteDeps, Web } from './route.ts'

/** What agents use: our MCP server, and the API as far as they may. No pages or logins. */
const forAgents = /^\/(mcp|sse|messages|api\/.+)$/

/** The listener for agents with their own network accepts only agents' tokens. */
export function guardGate(web: Web, deps: RouteDeps): void {
  web.use('*', async (context, next) => {
    const refused = context.env.listener === 'gate' ? await refusal(context, deps) : null
    return refused ? failed(refused.fault, newId()) : next()
  })
}

async function refusal(context: HttpContext, deps: RouteDeps): Promise<Failed | null> {
  const { req } = context
  const host = req.header('host')
  const foreign = checkHost(deps.guard, host) ?? checkOrigin(deps.guard, host, req.header('origin'))
  if (foreign) return foreign
  if (!forAgents.test(req.path)) return notHere(req.path)
  const bearer = bearerOf(req.header('authorization'))
  const caller = await deps.auth.authenticate({ listener: 'gate', bearer, cookies: [], key: null })
  if (!caller.ok) return caller
  return authorizeAction(caller.value.actor, 'gate.enter')
}

const notHere = (path: string) =>
  fail({ kind: 'not_found', code: 'no_such_address', message: `Not found for agents: ${path}.` })
