import type { Reply } from '../../support/api.ts'
import type { MatrixSetup } from './setup.ts'

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'matrix', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Answer = {
  result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content?: { text?: string }[] } & Record<
    string,
    unknown
  >
  error?: { message: string; data?: { code?: string } }
}

/** One stateless request to /mcp, without a connection. */
export async function mcp(
  setup: Pick<MatrixSetup, 'server'>,
  headers: Record<string, string>,
  method: string,
  params: Record<string, unknown> = {},
  query = '',
): Promise<{ reply: Reply; answer: Answer }> {
  const named = params['name'] ?? params['uri']
  const name = typeof named === 'string' ? { 'mcp-name': named } : {}
  const reply = await setup.server.tcp(headers).send('POST', `/mcp${query}`, {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...name,
    },
  })
  return { reply, answer: (reply.body ?? fromStream(reply.text)) as Answer }
}

/** The last message of a stream of server-sent events. */
function fromStream(text: string): unknown {
  const last = text.split('\n').findLast((line) => line.startsWith('data: {'))
  return last === undefined ? {} : JSON.parse(last.slice('data: '.length))
}

export const callTool = (
  setup: Pick<MatrixSetup, 'server'>,
  headers: Record<string, string>,
  name: string,
  input: Record<string, unknown>,
  query = '',
) => mcp(setup, headers, 'tools/call', { name, arguments: input }, query)
