import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { agentFolder, agentProgram, pins } from '../../../scripts/lib/agents.mjs'

export const realAgents = ['gemini', 'claude', 'opencode', 'codex'] as const
/** Cline accepts no MCP servers, so it skips the cases that need them. */
export type RealAgent = (typeof realAgents)[number] | 'cline'

/** How to start an agent so that everything it writes is in one folder and every request goes to the scripted model. */
export type Profile = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Paths it must be able to write, besides its workspace and what its preset opens. */
  openPaths: string[]
  /** Paths it must be able to read, if a sandbox hides them. */
  readPaths: string[]
  /** The model's name, if only the agent's own settings file sets it. */
  localPorts: number[]
}

type Place = { home: string; modelUrl: string }
type Own = { args: string[]; env: Record<string, string>; localPorts?: number[]; openPaths?: string[] }

const key = 'scripted-key'

/** Makes the agent's home, with its settings, below an empty folder. */
export function profileOf(agent: RealAgent, place: Place): Profile {
  const { home } = place
  // Codex builds no sandbox of its own if its home is below TMPDIR, so they are separate.
  const temporary = join(home, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const own = settle[agent](place)
  const node = dirname(realpathSync(process.execPath))
  const script = pins[agent].node
  return {
    command: script ? process.execPath : agentProgram(agent),
    args: [...(script ? [agentProgram(agent)] : []), ...own.args],
    env: {
      PATH: [node, process.env['PATH'] ?? ''].join(delimiter),
      HOME: home,
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      SHELL: '/bin/bash',
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local', 'share'),
      XDG_STATE_HOME: join(home, '.local', 'state'),
      XDG_CACHE_HOME: join(home, '.cache'),
      ...own.env,
    },
    openPaths: [temporary, ...(own.openPaths ?? [])],
    readPaths: [agentFolder(agent), node],
    localPorts: own.localPorts ?? [],
  }
}

const settle: Record<RealAgent, (place: Place) => Own> = {
  gemini({ home, modelUrl }) {
    keep(home, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
    })
    const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_MODEL: 'gemini-2.5-pro' }
    return { args: ['--acp', '--skip-trust'], env }
  },
  claude({ home, modelUrl }) {
    const env = {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ENABLE_TOOL_SEARCH: 'false',
    }
    return { args: [], env }
  },
  opencode({ home, modelUrl }) {
    const limit = { context: 200_000, output: 8000 }
    keep(home, '.config/opencode/opencode.json', {
      autoupdate: false,
      share: 'disabled',
      model: 'fake/fake-model',
      small_model: 'fake/fake-model',
      enabled_providers: ['fake'],
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${modelUrl}/v1`, apiKey: key },
          models: { 'fake-model': { name: 'Scripted model', tool_call: true, reasoning: true, limit } },
        },
      },
      // Without these it never asks.
      permission: { edit: 'ask', bash: 'ask' },
    })
    const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD'].map((name) => [`OPENCODE_DISABLE_${name}`, '1'])
    // It looks for a plugin package at every start: it asks the model server, which has none.
    return { args: ['acp'], env: { ...Object.fromEntries(off), npm_config_registry: modelUrl } }
  },
  codex({ home, modelUrl }) {
    keep(
      home,
      '.codex/config.toml',
      toToml({
        // A model it knows: otherwise it has no patch tool.
        model: 'gpt-5.5',
        model_provider: 'fake',
        approval_policy: 'on-request',
        sandbox_mode: 'read-only',
        check_for_update_on_startup: false,
      }) +
        '[model_providers.fake]\n' +
        toToml({
          name: 'Scripted',
          base_url: `${modelUrl}/v1`,
          env_key: 'SCRIPTED_API_KEY',
          wire_api: 'responses',
          request_max_retries: 0,
          stream_max_retries: 0,
        }) +
        '[analytics]\nenabled = false\n',
    )
    const env = { CODEX_HOME: join(home, '.codex'), SCRIPTED_API_KEY: key, OPENAI_API_KEY: key, NO_BROWSER: '1' }
    return { args: [], env, localPorts: [Number(new URL(modelUrl).port)] }
  },
  cline({ home, modelUrl }) {
    const settings = { provider: 'openai-compatible', apiKey: key, model: 'fake-model', baseUrl: `${modelUrl}/v1` }
    const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
    keep(home, '.cline/data/settings/providers.json', {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: { 'openai-compatible': provider },
    })
    const env = {
      CLINE_API_KEY: key,
      CLINE_PROVIDER: 'openai-compatible',
      CLINE_MODEL: 'fake-model',
      CLINE_NO_AUTO_UPDATE: '1',
      CI: '1',
    }
    const localPorts = [Number(new URL(modelUrl).port)]
    return { args: ['--acp'], env, localPorts, openPaths: [join(home, '.cline')] }
  },
}

/** The agent as a person would write it in config.toml. */
export function configOf(agent: RealAgent, profile: Profile, more: Record<string, unknown> = {}): string {
  const { command, args, env, openPaths, readPaths, localPorts } = profile
  return (
    `[agents.${agent}]\n` +
    toToml({
      // Cline has none.
      ...(agent === 'cline' ? {} : { preset: agent }),
      command,
      args,
      env,
      open_paths: openPaths,
      read_paths: readPaths,
      local_ports: localPorts,
      ...more,
    })
  )
}

function toToml(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${tomlValue(value)}\n`)
    .join('')
}

function tomlValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, inner]) => `${name} = ${tomlValue(inner)}`)
  return `{ ${fields.join(', ')} }`
}

function keep(home: string, path: string, content: unknown): void {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}
