import type { Token } from '../conformance/shapes.ts'
import { sitAtTerminal, type Terminal } from './claude-code-terminal.ts'

/** As in docs/claude-code.md, for a server reached by its address. */
export async function promptToolFlags({ server }: Terminal): Promise<string[]> {
  const { token } = await server.api().post<Token>('/api/tokens', { name: 'claude', scope: 'agent' })
  const headers = { Authorization: `Bearer ${token}` }
  const config = { mcpServers: { signalbox: { type: 'http', url: `${server.address}/mcp`, headers } } }
  const tool = 'mcp__signalbox__permission_prompt'
  return ['--strict-mcp-config', '--mcp-config', JSON.stringify(config), '--permission-prompt-tool', tool]
}

/** In a workspace the server knows. */
export async function sitInWorkspace(): Promise<Terminal> {
  const at = await sitAtTerminal()
  await at.server.restart(`workspace_root = ${JSON.stringify(at.workspace)}\n`)
  return at
}
