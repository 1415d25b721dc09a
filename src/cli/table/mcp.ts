import { command, commonFlags, family, on, oneOf, text } from '../command.ts'

export const mcpClients = ['claude', 'cursor', 'vscode', 'gemini', 'codex', 'opencode'] as const

export const bridgeFlags = {
  workspace: text('DIR', 'Where the agent works (default: the current directory)'),
  'workspace-id': text('ID', 'Use a [[workspace]] from config.toml'),
  session: text('ID', 'Continue this session (default: a new one for each connection)'),
  token: commonFlags.token,
}
export const installFlags = {
  scope: oneOf('SCOPE', 'For all your projects, or for the one in the current directory', ['user', 'project']),
  print: on('Print the file and its content without writing it'),
  token: commonFlags.token,
}

export const mcpCommands = [
  family({
    name: 'mcp',
    summary: 'Connect an agent over MCP, on stdio',
    group: 'Work with agents',
    alone: 'bridge',
    more: [
      'Agents start this, once `signalbox mcp install` has configured them. It finds the running server, or starts one',
      'in the background, and stays connected when it restarts.',
    ].join('\n'),
    examples: ['signalbox mcp install claude', 'signalbox mcp --workspace ~/projects/shop'],
    children: [
      command({
        name: 'bridge',
        summary: 'MCP on stdin and stdout, for agents (what `signalbox mcp` alone does)',
        flags: bridgeFlags,
        examples: ['signalbox mcp', 'signalbox mcp --url https://signalbox.example.org'],
        load: async () => (await import('../commands/mcp.ts')).bridge,
      }),
      command({
        name: 'install',
        summary: "Write a client's configuration, to connect its agent to Signalbox",
        args: [{ name: 'CLIENT', values: mcpClients }],
        flags: installFlags,
        examples: ['signalbox mcp install claude', 'signalbox mcp install codex --scope project --print'],
        load: async () => (await import('../commands/mcp-install.ts')).installMcp,
      }),
    ],
  }),
]
