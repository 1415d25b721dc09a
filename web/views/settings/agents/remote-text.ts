/** MCP clients that connect to an address, with where their configuration is. */
export const remoteClients = {
  claude: { title: 'Claude Code', where: '~/.claude.json' },
  cursor: { title: 'Cursor', where: '~/.cursor/mcp.json' },
  vscode: { title: 'VS Code', where: 'mcp.json in its user folder' },
  gemini: { title: 'Gemini CLI', where: '~/.gemini/settings.json' },
  codex: { title: 'Codex', where: '~/.codex/config.toml' },
  opencode: { title: 'opencode', where: '~/.config/opencode/opencode.json' },
} as const
export type RemoteClient = keyof typeof remoteClients

const dayMs = 86_400_000

/** The configuration of a client for a server at an address. People take long to answer: where a limit can be set, it is a day. */
export function remoteText(client: RemoteClient, url: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` }
  if (client === 'codex')
    return [
      '[mcp_servers.signalbox]',
      `url = ${JSON.stringify(url)}`,
      `http_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`,
      `tool_timeout_sec = ${dayMs / 1000}`,
    ].join('\n')
  const tables = {
    claude: { mcpServers: { signalbox: { type: 'http', url, headers, timeout: dayMs } } },
    cursor: { mcpServers: { signalbox: { url, headers } } },
    vscode: { servers: { signalbox: { type: 'http', url, headers } } },
    gemini: { mcpServers: { signalbox: { httpUrl: url, headers, timeout: dayMs } } },
    opencode: { mcp: { signalbox: { type: 'remote', url, headers, enabled: true, timeout: dayMs } } },
  }
  return JSON.stringify(tables[client], null, 2)
}
