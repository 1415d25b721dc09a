import { api } from '../../../client/contract.ts'
import { ok } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'
import type { Agents } from './agents.ts'

export function mountStop(
  web: Web,
  deps: RouteDeps,
  { agents, stop }: { agents: Pick<Agents, 'live'>; stop(agents: 'end' | 'keep'): void },
): void {
  mount(web, deps, api.stopServer, async ({ body }, { caller }) => {
    const allowed = await deps.app.read.mayAdminister(caller.standing)
    if (!allowed.ok) return allowed
    const live = agents.live()
    stop(body.agents)
    return ok({ agents: body.agents, live })
  })
}
