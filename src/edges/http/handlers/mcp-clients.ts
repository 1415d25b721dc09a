import { api } from '../../../client/contract.ts'
import type { McpClient } from '../../../client/contract/agents.ts'
import type { ClientName } from '../../../lib/mcp-clients/client-names.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

/** Configuration files of MCP clients, in the home of the user the server runs as. */
export type McpClients = {
  list(): Promise<McpClient[]>
  connect(client: ClientName): Promise<Result<McpClient>>
  disconnect(client: ClientName): Promise<Result<McpClient>>
}

export function mountMcpClients(web: Web, deps: RouteDeps, clients: McpClients): void {
  const { app } = deps
  // What is written there starts a program as this user, and the files are theirs.
  const may = ({ caller }: ApiCall) => app.read.mayRunPrograms(caller.standing)

  mount(web, deps, api.listMcpClients, async (_input, call) => {
    const refused = await may(call)
    return refused.ok ? ok({ clients: await clients.list() }) : refused
  })

  mount(web, deps, api.connectMcpClient, async ({ params }, call) => {
    const refused = await may(call)
    return refused.ok ? clients.connect(params.client) : refused
  })

  mount(web, deps, api.disconnectMcpClient, async ({ params }, call) => {
    const refused = await may(call)
    return refused.ok ? clients.disconnect(params.client) : refused
  })
}
