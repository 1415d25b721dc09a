// The peer: an echo tool of the SDK and nothing else, behind node:http, in both ways the SDK serves it.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { answerCalls, settings } from '../lib/answer-calls.ts'

export type EchoSettings = { port: number }

function echo(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' })
  const inputSchema = z.object({ text: z.string() })
  server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }))
  return server
}

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

async function withSessions(asked: Request): Promise<Response> {
  const known = sessions.get(asked.headers.get('mcp-session-id') ?? '')
  if (known) return known.handleRequest(asked)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await echo().connect(transport)
  return transport.handleRequest(asked)
}

const alone = createMcpHandler(echo, { legacy: 'reject' })

const listener = getRequestListener((asked) =>
  new URL(asked.url).pathname === '/alone' ? alone.fetch(asked) : withSessions(asked),
)
const { port } = settings<EchoSettings>()
createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(port, '127.0.0.1', () => answerCalls({}))
