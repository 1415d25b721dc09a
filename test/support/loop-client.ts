import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { root } from '../../scripts/lib/say.mjs'
import { addressOfMcp, type LoopServer } from './loop-server.ts'
import { cleanEnv } from './server.ts'

export type Way = 'http' | 'http-2026' | 'stdio'
export type Said = Readonly<Record<string, unknown>> & { readonly isError: boolean }
export type Spot = { readonly token: string; readonly sessionId: string; readonly path: string; readonly id: string }

/** The official client, until it is killed. */
export type LoopClient = {
  call(tool: string, input: Record<string, unknown>, patience?: Patience): Promise<Said>
  /** It disappears at once, without disconnecting. */
  kill(): Promise<void>
}
export type Patience = { seconds?: number; signal?: AbortSignal }

export async function connectLoopClient(server: LoopServer, way: Way, spot: Spot): Promise<LoopClient> {
  const client = new Client(
    { name: `loop ${way}`, version: '1' },
    way === 'http-2026' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const transport = way === 'stdio' ? overStdio(server, spot) : overHttp(server, spot)
  try {
    await client.connect(transport, { timeout: 20_000 })
  } catch (error) {
    await client.close().catch(() => {})
    throw error
  }
  const underway = new Set<{ cancel: AbortController; resumable: boolean }>()
  // A stream that broke before it could be resumed: the official client reports it, and its call keeps waiting.
  const onerror = ({ message }: Error) => {
    if (!message.startsWith('SSE stream disconnected')) return
    for (const { cancel, resumable } of underway) if (!resumable) cancel.abort()
  }
  Object.assign(client, { onerror })
  return {
    async call(tool, input, patience = {}) {
      const call = { cancel: new AbortController(), resumable: way === 'stdio' }
      const onresumptiontoken = () => {
        call.resumable ||= way === 'http'
      }
      underway.add(call)
      const signal = patience.signal ? AbortSignal.any([patience.signal, call.cancel.signal]) : call.cancel.signal
      try {
        return await callTool(client, tool, input, { ...patience, signal, onresumptiontoken })
      } finally {
        underway.delete(call)
      }
    },
    async kill() {
      const pid = transport instanceof StdioClientTransport ? transport.pid : null
      if (pid !== null) process.kill(pid, 'SIGKILL')
      await client.close().catch(() => {})
    },
  }
}

async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  { seconds = 40, ...options }: Patience & { signal: AbortSignal; onresumptiontoken: (token: string) => void },
): Promise<Said> {
  const { content, isError } = await client.callTool(
    { name, arguments: input },
    { timeout: seconds * 1000, onprogress: () => {}, ...options },
  )
  const [first] = content
  if (first?.type !== 'text') throw new Error(`${name} gave no text`)
  return { ...(JSON.parse(first.text) as Record<string, unknown>), isError: isError === true }
}

const reconnectionOptions = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 200,
  reconnectionDelayGrowFactor: 1.2,
  maxRetries: 300,
}

const overHttp = (server: LoopServer, { token, sessionId, id }: Spot) =>
  new StreamableHTTPClientTransport(addressOfMcp({ workspace_id: id, session_id: sessionId }), {
    fetch: server.fetch,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions,
  })

const overStdio = ({ home }: LoopServer, { sessionId, path }: Spot) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'dist', 'signalbox.js'), 'mcp', '--workspace', path, '--session', sessionId],
    env: cleanEnv({ SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0', SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000' }),
    stderr: 'ignore',
  })
