import { closest } from './closest.ts'
import { mcpServers, stringTable, type McpServerSettings } from './mcp-servers.ts'
import { isTable, reader } from './tables.ts'
import type { Path, ReportFault, Value } from './value.ts'
import { boolean, integer, list, number, oneOf, text } from './value.ts'
import { kindOf } from './describe-value.ts'

/** Settings of one agent; null means "as in the preset". */
export type AgentSettings = {
  readonly preset: PresetName | null
  readonly command: string | null
  readonly args: readonly string[] | null
  readonly env: Readonly<Record<string, string>>
  readonly passEnv: readonly string[]
  readonly isolation: IsolationSetting | null
  readonly network: NetworkSetting | null
  readonly localPorts: readonly number[]
  readonly openPaths: readonly string[]
  readonly readPaths: readonly string[]
  readonly authMethod: string | null
  readonly installCommand: string | null
  readonly login: readonly string[] | null
  readonly dialect: 'acp' | 'intercom' | null
  readonly clientFs: boolean | null
  readonly clientTerminal: boolean | null
  readonly budgetUsd: number | null
  readonly mcpServers: readonly McpServerSettings[]
}

type IsolationSetting = 'auto' | 'none' | 'sandbox' | 'container'
type NetworkSetting = 'auto' | 'own' | 'none' | 'host'

/** The built-in agents. */
export const presetNames = ['practice', 'gemini', 'claude', 'codex', 'opencode'] as const
type PresetName = (typeof presetNames)[number]

export const isolation = oneOf('auto', 'none', 'sandbox', 'container')
export const network = oneOf('auto', 'own', 'none', 'host')
export const localPorts = list(integer(1, 65_535))
export const budget = number(0.01)
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const nameWrong = 'a name has only letters, digits, ".", "-" and "_", and starts with a letter or digit'

export const agentName = text('name of an agent', (value) => (namePattern.test(value) ? value : { wrong: nameWrong }))

const program = text('program', (value) => {
  if (!value.includes('/') || value.startsWith('/') || value.startsWith('~/')) return value
  return { wrong: 'must be the name of a program on the PATH, or an absolute path', hint: '~/ means your home' }
})

const variable = text('name of a variable', (value) => {
  if (/^SIGNALBOX_/i.test(value))
    return { wrong: "must not be one of Signalbox's own variables, which are never passed on" }
  if (/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(value)) return value
  return { wrong: 'must be a variable name', hint: 'one * at the end matches the rest: "ACME_*"' }
})

const place = text('path', (value) => {
  if (/^(?:\/|~\/|\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\})/.test(value)) return value
  return { wrong: 'must be an absolute path', hint: 'write /…, ~/… or ${VARIABLE:-~/.default}/…' }
})

const fields = {
  preset: oneOf(...presetNames),
  command: program,
  args: list(text('argument')),
  env: stringTable('variable', variable),
  pass_env: list(variable),
  isolation,
  network,
  local_ports: localPorts,
  open_paths: list(place),
  read_paths: list(place),
  auth_method: text('id of a method'),
  install_command: text('command line'),
  login: list(text('argument')),
  dialect: oneOf('acp', 'intercom'),
  client_fs: boolean,
  client_terminal: boolean,
  budget_usd: budget,
  mcp_servers: mcpServers,
}

// No prototype, so that an agent called "constructor" is found only if configured.
export const noAgents: Readonly<Record<string, AgentSettings>> = Object.freeze(Object.create(null))

export const agents: Value<Readonly<Record<string, AgentSettings>>> = {
  kind: 'table',
  says: `table of tables: ${Object.keys(fields).join(', ')}`,
  check(value, report, path) {
    if (!isTable(value)) {
      report(path, `must be a table, not ${kindOf(value)}`, 'write [agents.NAME] and the keys below it')
      return undefined
    }
    const result: Record<string, AgentSettings> = Object.create(null)
    let faulty = false
    for (const [name, entry] of Object.entries(value)) {
      const at = [...path, name]
      const named = namePattern.test(name)
      if (!named) report(at, nameWrong)
      const checked = agent(name, entry, report, at)
      if (named && checked !== undefined) result[name] = checked
      else faulty = true
    }
    return faulty ? undefined : result
  },
}

function agent(name: string, entry: unknown, report: ReportFault, at: Path): AgentSettings | undefined {
  if (!isTable(entry)) {
    // `[agents]` with a key of an agent right below it.
    const meant = closest(name, Object.keys(fields)) === undefined ? undefined : 'it belongs under [agents.NAME]'
    report(at, `must be a table, not ${kindOf(entry)}`, meant)
    return undefined
  }
  const { field, need, faulty } = reader(entry, Object.keys(fields), report, at)
  const started = Object.hasOwn(entry, 'preset') || name === 'host' || presetNames.some((preset) => preset === name)
  if (!started) need('command', 'add command = "…", or preset = "…" to start from a built-in one')
  const settings: AgentSettings = {
    preset: field('preset', fields.preset, null),
    command: field('command', fields.command, null),
    args: field('args', fields.args, null),
    env: field('env', fields.env, {}),
    passEnv: field('pass_env', fields.pass_env, []),
    isolation: field('isolation', fields.isolation, null),
    network: field('network', fields.network, null),
    localPorts: field('local_ports', fields.local_ports, []),
    openPaths: field('open_paths', fields.open_paths, []),
    readPaths: field('read_paths', fields.read_paths, []),
    authMethod: field('auth_method', fields.auth_method, null),
    installCommand: field('install_command', fields.install_command, null),
    login: field('login', fields.login, null),
    dialect: field('dialect', fields.dialect, null),
    clientFs: field('client_fs', fields.client_fs, null),
    clientTerminal: field('client_terminal', fields.client_terminal, null),
    budgetUsd: field('budget_usd', fields.budget_usd, null),
    mcpServers: field('mcp_servers', fields.mcp_servers, []),
  }
  return faulty() ? undefined : settings
}

const mask = (table: object): object => Object.fromEntries(Object.keys(table).map((name) => [name, '…masked']))

/** For display: possible secrets are masked, unset fields are left out. */
export const maskedAgents = (all: Readonly<Record<string, AgentSettings>>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(all).map(([name, settings]) => [
      name,
      {
        ...settings,
        env: mask(settings.env),
        mcpServers: settings.mcpServers.map((server) =>
          'url' in server ? { ...server, headers: mask(server.headers) } : { ...server, env: mask(server.env) },
        ),
      },
    ]),
  )
