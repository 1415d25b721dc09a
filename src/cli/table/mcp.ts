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
  remove: on('Remove what an installation wrote; everything else in the file stays'),
  token: commonFlags.token,
}

export const editorFlags = {
  session: text('ID', 'Join this session; by default each conversation of the editor is a new one'),
  agent: text('AGENT', 'Agent to start (default: the default agent)'),
  model: text('MODEL', 'The model to use (default: as the agent says)'),
  effort: text('EFFORT', 'How much the model thinks, in the words of the agent'),
  isolation: oneOf('HOW', 'How to confine the agent (default: as configured)', ['none', 'sandbox', 'container']),
  worktree: on('Work in a separate Git worktree'),
}

export const mcpCommands = [
  command({
    name: 'acp',
    summary: 'Connect an editor over ACP, on stdio: its conversations are sessions here',
    group: 'Work with agents',
    more: [
      'Editors start this as an agent (see docs/editors.md). It finds the running server, or starts one in the background.',
      'What others write to the session is shown in the editor, and asks can be answered there or anywhere else.',
    ].join('\n'),
    flags: editorFlags,
    examples: ['signalbox acp', 'signalbox acp --agent claude --worktree', 'signalbox acp --session 1f0c3a7e'],
    load: async () => (await import('../commands/acp.ts')).acp,
  }),
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
        examples: [
          'signalbox mcp install claude',
          'signalbox mcp install codex --scope project --print',
          'signalbox mcp install claude --remove',
        ],
        load: async () => (await import('../commands/mcp-install.ts')).installMcp,
      }),
    ],
  }),
]
