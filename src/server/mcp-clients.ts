import { homedir } from 'node:os'
import { join } from 'node:path'
import type { McpClient } from '../client/contract/agents.ts'
import { dataDirectory } from '../config/data-directory.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { McpClients } from '../edges/http/handlers/mcp-clients.ts'
import { clientNames, type ClientName } from '../lib/mcp-clients/client-names.ts'
import { ok, type Result } from '../lib/result.ts'
import { mcpBridge } from './own-programs.ts'

/** What `signalbox mcp install` does, for the user this server runs as. */
export function createMcpClients({ dataDir, file }: LoadedConfig): McpClients {
  const load = async () => {
    const [{ clients }, { planInstall, planRemoval }, { launchOf }] = await Promise.all([
      import('../lib/mcp-clients/clients.ts'),
      import('../lib/mcp-clients/install.ts'),
      import('../lib/mcp-clients/launch.ts'),
    ])
    const [program = ''] = mcpBridge().args
    const launch = launchOf(['mcp', ...whichServer], {}, { program, node: process.execPath })
    const home = homedir()
    const place = { home, cwd: home, env: process.env, platform: process.platform }
    const request = (client: ClientName) => ({ client, scope: 'user' as const, launch, place })
    return {
      clients,
      plan: (one: ClientName) => planInstall(request(one)),
      removal: (one: ClientName) => planRemoval(request(one)),
    }
  }
  // The client starts it with little environment, so a data directory and a file of its own are written down.
  const usual = dataDirectory({ LOCALAPPDATA: process.env['LOCALAPPDATA'] })
  const whichServer = [
    ...(usual === dataDir ? [] : ['--home', dataDir]),
    ...(file === null || file === join(dataDir, 'config.toml') ? [] : ['--config', file]),
  ]

  const states = { added: 'absent', changed: 'other', unchanged: 'current' } as const
  const show = async (client: ClientName): Promise<McpClient> => {
    const { clients, plan } = await load()
    const { title, next } = clients[client]
    const planned = plan(client)
    if (!planned.ok)
      return { client, title, path: '', state: 'unreadable', text: '', next, error: planned.fault.message }
    const { path, snippet, outcome } = planned.value
    return { client, title, path, state: states[outcome], text: snippet, next, error: null }
  }
  const after = async (client: ClientName, written: Result<void>): Promise<Result<McpClient>> =>
    written.ok ? ok(await show(client)) : written

  return {
    list: () => Promise.all(clientNames.map(show)),
    async connect(client) {
      const planned = (await load()).plan(client)
      return planned.ok ? after(client, planned.value.write()) : planned
    },
    async disconnect(client) {
      const planned = (await load()).removal(client)
      return planned.ok ? after(client, planned.value.write()) : planned
    },
  }
}
