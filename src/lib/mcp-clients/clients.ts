import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../parse-json.ts'
import type { ClientName } from './client-names.ts'
import { valueIn } from './json-edit.ts'

export type InstallScope = 'user' | 'project'
export type ServerLaunch = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}
export type InstallEnvironment = {
  readonly home: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}
export type { ClientName } from './client-names.ts'
type ServerEntry = Record<string, unknown>

/** An MCP client: its configuration file, and its format for a server. */
export type McpClient = {
  readonly title: string
  file(scope: InstallScope, place: InstallEnvironment): string
  readonly format: 'json' | 'toml'
  /** The entry's path in the file and its value; `text` is the current file. */
  entry(launch: ServerLaunch, text: string): { path: readonly string[]; value: ServerEntry }
  readonly next: string
}

export const serverName = 'signalbox'

/** People may take long to answer, and clients time out earlier unless configured. */
const daySeconds = 24 * 60 * 60
const dayMs = daySeconds * 1000

const withEnv = (env: ServerLaunch['env'], key = 'env'): ServerEntry =>
  Object.keys(env).length === 0 ? {} : { [key]: env }

/** Editors start it in another directory and fill in the open folder, which a remote server does not know. */
const inFolder = ({ args }: ServerLaunch): readonly string[] =>
  args.includes('--url') ? args : [...args, '--workspace', '${workspaceFolder}']

function codeFolder({ home, env, platform }: InstallEnvironment): string {
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Code', 'User')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'Code', 'User')
}

function opencodeFile(folder: string): string {
  const [plain, commented] = [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')]
  return !existsSync(plain) && existsSync(commented) ? commented : plain
}

export const clients: Readonly<Record<ClientName, McpClient>> = {
  claude: {
    title: 'Claude Code',
    format: 'json',
    file: (scope, { home, cwd, env }) =>
      scope === 'project' ? join(cwd, '.mcp.json') : join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    entry: ({ command, args, env }) => ({
      path: ['mcpServers', serverName],
      value: { type: 'stdio', command, args, ...withEnv(env), timeout: dayMs },
    }),
    next: 'Restart Claude Code, and check with /mcp.',
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    file: (scope, { home, cwd }) => join(scope === 'project' ? cwd : home, '.cursor', 'mcp.json'),
    entry: (launch) => ({
      path: ['mcpServers', serverName],
      value: { type: 'stdio', command: launch.command, args: inFolder(launch), ...withEnv(launch.env) },
    }),
    next: 'Restart Cursor, and turn it on in its MCP servers.',
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    file: (scope, place) =>
      scope === 'project' ? join(place.cwd, '.vscode', 'mcp.json') : join(codeFolder(place), 'mcp.json'),
    entry: (launch) => ({
      path: ['servers', serverName],
      value: { type: 'stdio', command: launch.command, args: inFolder(launch), ...withEnv(launch.env) },
    }),
    next: 'In VS Code, run "MCP: List Servers" and start it.',
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    file: (scope, { home, cwd }) => join(scope === 'project' ? cwd : home, '.gemini', 'settings.json'),
    entry: ({ command, args, env }) => ({
      path: ['mcpServers', serverName],
      value: { command, args, ...withEnv(env), timeout: dayMs },
    }),
    next: 'Restart Gemini CLI, and check with /mcp.',
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    file: (scope, { home, cwd, env }) =>
      join(scope === 'project' ? join(cwd, '.codex') : env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
    entry: ({ command, args, env }) => ({
      path: ['mcp_servers', serverName],
      value: { command, args, startup_timeout_sec: 60, tool_timeout_sec: daySeconds, ...withEnv(env) },
    }),
    next: 'Restart Codex, and check with /mcp. In a project it reads this only if the project is trusted.',
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    file: (scope, { home, cwd, env }) =>
      opencodeFile(scope === 'project' ? cwd : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')),
    entry: ({ command, args, env }, text) => {
      const value = { type: 'local', command: [command, ...args], ...withEnv(env, 'environment') }
      // Version 2 nests servers one level deeper, but still reads the old format. Keep the format of the file.
      return isRecord(valueIn(text, ['mcp', 'servers']))
        ? { path: ['mcp', 'servers', serverName], value: { ...value, timeout: { startup: 60_000, request: dayMs } } }
        : { path: ['mcp', serverName], value: { ...value, enabled: true, timeout: dayMs } }
    },
    next: 'Restart opencode, and check with: opencode mcp list',
  },
}
