import type { AgentDefinition } from './definition.ts'

/** A definition without the operator's settings. */
export type Preset = Omit<
  AgentDefinition,
  'name' | 'isolation' | 'network' | 'localPorts' | 'budgetUsd' | 'env' | 'authMethod' | 'mcpServers'
>

/** An unknown agent that speaks ACP: it is offered everything. */
export const blank: Omit<Preset, 'title' | 'command'> = {
  args: [],
  install: 'Install it, or correct its command in config.toml.',
  installCommand: null,
  login: null,
  defaultEnv: {},
  jsonEnv: {},
  passwords: [],
  passEnv: [],
  openPaths: [],
  readPaths: [],
  dialect: 'acp',
  clientFs: true,
  clientTerminal: true,
  quirks: { missingFileIsEmpty: false, loadAfterMinute: false },
  modelEnv: null,
  effortEnv: null,
  modelJsonEnv: null,
}

/** Programs that listen on loopback, without authentication unless a password is set. */
export const serverPasswords: Readonly<Record<string, readonly string[]>> = {
  kilo: ['KILO_SERVER_PASSWORD'],
  opencode: ['OPENCODE_SERVER_PASSWORD'],
}

/** The command that installs it, and a sentence with what it needs. */
export const installedWith = (installCommand: string, needs: string | null = null) => ({
  installCommand,
  install: `Install it with: ${installCommand}${needs === null ? '' : ` (needs ${needs})`}.`,
})

const npmPackage = (name: string, needs: string | null = null) => installedWith(`npm install -g ${name}`, needs)

export const presets: Readonly<Record<'gemini' | 'claude' | 'codex' | 'opencode', Preset>> = {
  gemini: {
    ...blank,
    title: 'Gemini CLI',
    command: 'gemini',
    // Without --skip-trust it silently ignores the MCP servers it is given.
    args: ['--acp', '--skip-trust'],
    ...npmPackage('@google/gemini-cli@0.61.0', 'Node 20 or later'),
    // It asks how to sign in when it is first opened.
    login: [],
    modelEnv: 'GEMINI_MODEL',
    passEnv: ['GEMINI_*', 'GOOGLE_*'],
    openPaths: ['${GEMINI_CLI_HOME:-~}/.gemini'],
    readPaths: ['${GOOGLE_APPLICATION_CREDENTIALS}'],
    // It reads and writes through the client if offered, so we check its writes; new files need the quirk.
    clientFs: true,
    // It does not use terminals.
    clientTerminal: false,
    quirks: { missingFileIsEmpty: true, loadAfterMinute: true },
  },
  claude: {
    ...blank,
    title: 'Claude Agent',
    command: 'claude-agent-acp',
    ...npmPackage('@agentclientprotocol/claude-agent-acp@0.99.0', 'Node 22 or later'),
    login: ['--cli', 'auth', 'login'],
    // An update would fail: its files are read-only in the sandbox.
    defaultEnv: { DISABLE_AUTOUPDATER: '1' },
    modelEnv: 'ANTHROPIC_MODEL',
    effortEnv: 'CLAUDE_CODE_EFFORT_LEVEL',
    passEnv: ['ANTHROPIC_*', 'CLAUDE_*', 'MCP_*', 'ENABLE_TOOL_SEARCH', 'DISABLE_AUTOUPDATER', 'DISABLE_TELEMETRY'],
    openPaths: ['${CLAUDE_CONFIG_DIR:-~/.claude}', '${CLAUDE_CONFIG_DIR:-~}/.claude.json'],
    // It accesses files directly, not through the client.
    clientFs: false,
    clientTerminal: false,
  },
  codex: {
    ...blank,
    title: 'Codex',
    command: 'codex-acp',
    ...npmPackage('@agentclientprotocol/codex-acp@2.6.0'),
    // In its other modes it edits without asking.
    defaultEnv: { INITIAL_AGENT_MODE: 'read-only' },
    passEnv: ['OPENAI_*', 'CODEX_*', 'INITIAL_AGENT_MODE', 'NO_BROWSER'],
    openPaths: ['${CODEX_HOME:-~/.codex}'],
    // It accesses files directly, not through the client.
    clientFs: false,
    clientTerminal: false,
  },
  opencode: {
    ...blank,
    title: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    ...npmPackage('opencode-ai@1.18.33'),
    login: ['auth', 'login'],
    defaultEnv: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    // Without this it never asks for permission.
    jsonEnv: { OPENCODE_CONFIG_CONTENT: { permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' } } },
    modelJsonEnv: 'OPENCODE_CONFIG_CONTENT',
    passwords: ['OPENCODE_SERVER_PASSWORD'],
    passEnv: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*'],
    openPaths: [
      '${XDG_CONFIG_HOME:-~/.config}/opencode',
      '${XDG_DATA_HOME:-~/.local/share}/opencode',
      '${XDG_STATE_HOME:-~/.local/state}/opencode',
      '${XDG_CACHE_HOME:-~/.cache}/opencode',
    ],
    // It writes through the client even if not offered, so we offer it.
    clientFs: true,
    // It does not use terminals.
    clientTerminal: false,
  },
}
