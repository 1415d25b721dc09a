import { basename } from 'node:path'
import type { AgentDefinition, AgentsConfig, AgentSettings } from './definition.ts'
import { blank, installedWith, presets, serverPasswords, type Preset } from './preset-table.ts'

export type { AgentDefinition, AgentsConfig } from './definition.ts'

export const unsetSettings: AgentSettings = {
  preset: null,
  command: null,
  args: null,
  env: {},
  passEnv: [],
  isolation: null,
  network: null,
  localPorts: [],
  openPaths: [],
  readPaths: [],
  authMethod: null,
  installCommand: null,
  login: null,
  dialect: null,
  clientFs: null,
  clientTerminal: null,
  budgetUsd: null,
  mcpServers: [],
}

/** All agents by name: the presets, the operator's own, and `host` if configured. */
export function agentDefinitions(
  config: AgentsConfig,
  practice: { readonly command: string; readonly args: readonly string[] },
): Map<string, AgentDefinition> {
  const known = new Map<string, Preset>([
    [
      'practice',
      {
        ...blank,
        ...practice,
        title: 'Practice agent',
        install: 'It comes with Signalbox.',
        // It stores conversations here, so that they can be continued.
        openPaths: ['${XDG_STATE_HOME:-~/.local/state}/signalbox-practice'],
      },
    ],
    ...Object.entries(presets),
  ])
  const bases = new Map(known)
  if (config.hostCli !== null) bases.set('host', hostPreset(config.hostCli, config.hostCliArgs, known))
  const definitions = new Map<string, AgentDefinition>()
  for (const name of new Set([...bases.keys(), ...Object.keys(config.agents)])) {
    const settings = config.agents[name] ?? unsetSettings
    const base = settings.preset === null ? bases.get(name) : known.get(settings.preset)
    const own = name === settings.preset || settings.preset === null ? base?.title : undefined
    definitions.set(name, define(name, own ?? name, base ?? { ...blank, title: name, command: name }, settings, config))
  }
  return definitions
}

export const defaultAgent = ({ defaultAgent, hostCli }: AgentsConfig): string =>
  defaultAgent ?? (hostCli === null ? 'practice' : 'host')

function define(
  name: string,
  title: string,
  base: Preset,
  settings: AgentSettings,
  { acp }: AgentsConfig,
): AgentDefinition {
  return {
    ...base,
    name,
    title,
    command: settings.command ?? base.command,
    args: settings.args ?? base.args,
    // The preset's install hint does not apply to another program.
    ...(settings.command !== null && { install: blank.install, installCommand: blank.installCommand }),
    ...(settings.installCommand !== null && installedWith(settings.installCommand)),
    login: settings.login ?? base.login,
    env: settings.env,
    passwords: [
      ...new Set([...base.passwords, ...(serverPasswords[basename(settings.command ?? base.command)] ?? [])]),
    ],
    passEnv: [...base.passEnv, ...settings.passEnv],
    openPaths: [...base.openPaths, ...settings.openPaths],
    readPaths: [...base.readPaths, ...settings.readPaths],
    isolation: settings.isolation ?? acp.isolation,
    network: settings.network ?? acp.network,
    localPorts: [...acp.localPorts, ...settings.localPorts],
    authMethod: settings.authMethod,
    dialect: settings.dialect ?? base.dialect,
    clientFs: settings.clientFs ?? base.clientFs,
    clientTerminal: settings.clientTerminal ?? base.clientTerminal,
    budgetUsd: settings.budgetUsd ?? acp.budgetUsd,
    mcpServers: settings.mcpServers,
  }
}

/** `host_cli = "gemini"` is Gemini with other arguments, and needs the same paths and variables. */
function hostPreset(command: string, args: readonly string[], known: ReadonlyMap<string, Preset>): Preset {
  const program = basename(command)
  const same = [...known].find(([name, preset]) => name === program || preset.command === program)?.[1]
  return {
    ...(same ?? blank),
    title: program,
    command,
    args,
    install: 'Install it, or correct host_cli in config.toml.',
    installCommand: null,
  }
}
