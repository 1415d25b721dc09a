import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { openAgentsHarness, type AgentSession, type AgentsHarness } from '../conformance/agents-harness.ts'

export type Attempt = Record<string, unknown>
export type McpServer = { name: string; url: string; headers: { name: string; value: string }[] }

const program = fileURLToPath(new URL('./network-agent.mjs', import.meta.url))

/** A server with the hostile agent of network-agent.mjs, in a sandbox. */
export type NetworkHarness = AgentsHarness & {
  hostile(more?: Record<string, unknown>): Promise<AgentSession>
  /** The result of each attempt. */
  attempts<K extends string>(session: { id: string }, tried: Record<K, Attempt>): Promise<Record<K, string>>
  ours(session: { id: string }): Promise<McpServer>
}

export async function openNetworkHarness(more = '', env: Record<string, string> = {}): Promise<NetworkHarness> {
  const agent = `[agents.hostile]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program])}\n`
  const harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 1000\n${agent}${more}`, env })
  const attempts: NetworkHarness['attempts'] = async (session, tried) =>
    JSON.parse(await harness.say(session, `try ${JSON.stringify(tried)}`))
  return {
    ...harness,
    hostile: (rest = {}) => harness.start({ agent: 'hostile', isolation: 'sandbox', ...rest }),
    attempts,
    ours: async (session) =>
      (JSON.parse(await harness.say(session, 'servers')) as McpServer[]).find(({ name }) => name === 'signalbox')!,
  }
}

/** Another program on this machine, which answers SECRET. */
export type Bystander = AsyncDisposable & { readonly port: number; readonly visits: string[] }

export async function bystander(host: string): Promise<Bystander> {
  const visits: string[] = []
  const server: HttpServer = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.end('SECRET')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    visits,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
