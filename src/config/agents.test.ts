import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatFaults, loadConfig, showConfig, shownConfig } from './index.ts'

let dataDir = ''
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
})
afterAll(() => {
  rmSync(dataDir, { recursive: true })
})

function load(toml: string, env: Record<string, string> = {}) {
  writeFileSync(join(dataDir, 'config.toml'), toml)
  return loadConfig({ env, dataDir })
}

function faults(toml: string): string[] {
  const result = load(toml)
  return result.ok ? [] : result.faults.map((fault) => formatFaults([fault], dataDir).replace('config.toml:', ''))
}

function loaded(toml: string, env: Record<string, string> = {}) {
  const result = load(toml, env)
  if (!result.ok) throw new Error(formatFaults(result.faults, dataDir))
  return result.value
}

const whole = `
default_agent = "mine"
[acp]
budget_usd = 2.5
on_stop = "end"
isolation = "sandbox"
startup_timeout_seconds = 60
[agents.mine]
command = "~/bin/agent"
args = ["--acp", "{workspace}"]
env = { TOKEN = "hidden-1", EMPTY = "" }
pass_env = ["MINE_*", "EDITOR"]
isolation = "none"
open_paths = ["~/.mine", "\${MINE_HOME:-~/.mine}/state"]
read_paths = ["/srv/models"]
auth_method = "api-key"
install_command = "npm install -g mine"
login = ["login"]
dialect = "intercom"
client_fs = false
client_terminal = true
budget_usd = 1
[[agents.mine.mcp_servers]]
name = "docs"
url = "https://mcp.example.org/"
headers = { Authorization = "hidden-2" }
[[agents.mine.mcp_servers]]
name = "local"
command = "docs-server"
env = { KEY = "hidden-3" }
[agents.gemini]
isolation = "none"
`

describe('agents', () => {
  it('are read with all fields, and unset ones are null or empty', () => {
    const { config } = loaded(whole)
    expect(config.defaultAgent).toBe('mine')
    expect(config.acp).toMatchObject({
      budgetUsd: 2.5,
      onStop: 'end',
      isolation: 'sandbox',
      startupTimeoutSeconds: 60,
    })
    expect(config.agents['mine']).toEqual({
      preset: null,
      command: '~/bin/agent',
      args: ['--acp', '{workspace}'],
      env: { TOKEN: 'hidden-1', EMPTY: '' },
      passEnv: ['MINE_*', 'EDITOR'],
      isolation: 'none',
      network: null,
      localPorts: [],
      openPaths: ['~/.mine', '${MINE_HOME:-~/.mine}/state'],
      readPaths: ['/srv/models'],
      authMethod: 'api-key',
      installCommand: 'npm install -g mine',
      login: ['login'],
      dialect: 'intercom',
      clientFs: false,
      clientTerminal: true,
      budgetUsd: 1,
      mcpServers: [
        { name: 'docs', url: 'https://mcp.example.org/', headers: { Authorization: 'hidden-2' } },
        { name: 'local', command: 'docs-server', args: [], env: { KEY: 'hidden-3' } },
      ],
    })
    expect(config.agents['gemini']).toMatchObject({ command: null, args: null, env: {}, isolation: 'none' })
    expect(config.agents['constructor']).toBeUndefined()
  })

  it('default to the practice agent, in a sandbox if available', () => {
    const { config } = loaded('')
    expect([config.defaultAgent, config.hostCli]).toEqual([null, null])
    expect(config.acp).toMatchObject({ isolation: 'auto', startupTimeoutSeconds: 30, budgetUsd: null, onStop: 'keep' })
  })

  it('come from the environment as JSON, and money as a number', () => {
    const env = { SIGNALBOX_AGENTS: '{"a":{"command":"x"}}', SIGNALBOX_ACP__BUDGET_USD: '0.5' }
    const { config } = loaded('', env)
    expect(config.agents['a']?.command).toBe('x')
    expect(config.acp.budgetUsd).toBe(0.5)
  })

  it('show no values of variables or headers', () => {
    const { text, json } = showConfig(shownConfig(loaded(whole)))
    expect(`${text}${JSON.stringify(json)}`).not.toContain('hidden')
    expect(json).toMatchObject({
      values: { agents: { value: { mine: { pass_env: ['MINE_*', 'EDITOR'], env: { TOKEN: '…masked' } } } } },
    })
  })
})

describe('faults of agents', () => {
  it.each([
    ['agents = 1', 'agents', 'must be a table, not a number; write [agents.NAME] and the keys below it'],
    ['agents.comand = "x"', 'agents.comand', 'must be a table, not a string; it belongs under [agents.NAME]'],
    [
      'agents.mine = {}',
      'agents.mine',
      'has no command; add command = "…", or preset = "…" to start from a built-in one',
    ],
    ['agents.host = {}', 'agents', '[agents.host] has no command; set host_cli, or add command = "…"'],
    ['agents.gemini.comand = "x"', 'agents.gemini.comand', 'unknown key; did you mean command?'],
    ['agents.x.preset = "gemni"', 'agents.x.preset', expect.stringContaining('did you mean "gemini"?')],
    [
      'agents.gemini.command = "./x"',
      'agents.gemini.command',
      'must be the name of a program on the PATH, or an absolute path; ~/ means your home',
    ],
    ['agents.gemini.env = { "A B" = "hidden" }', 'agents.gemini.env."A B"', expect.stringContaining('variable name')],
    ['agents.gemini.env = { A = 1 }', 'agents.gemini.env.A', 'must be a string, not a number; put it in quotes'],
    [
      'agents.gemini.pass_env = ["SIGNALBOX_TOKEN"]',
      'agents.gemini.pass_env[0]',
      "must not be one of Signalbox's own variables, which are never passed on",
    ],
    ['agents.gemini.pass_env = ["*"]', 'agents.gemini.pass_env[0]', expect.stringContaining('"ACME_*"')],
    ['agents.gemini.open_paths = [".x"]', 'agents.gemini.open_paths[0]', expect.stringContaining('absolute path')],
    ['agents.gemini.isolation = "sandbx"', 'agents.gemini.isolation', expect.stringContaining('"sandbox"?')],
    ['agents.gemini.budget_usd = "1"', 'agents.gemini.budget_usd', 'must be a number, not "1"; remove the quotes'],
    ['acp.budget_usd = -1', 'acp.budget_usd', 'must be at least 0.01, not -1'],
    ['acp.on_stop = "kill"', 'acp.on_stop', 'must be "keep" or "end", not "kill"'],
    ['default_agent = "claud"', 'default_agent', 'agent "claud" not found; did you mean "claude"?'],
    ['[agent.x]', 'agent', 'unknown table; did you mean [agents]?'],
  ])('%s', (toml, key, message) => {
    expect(faults(toml).map((fault) => fault.split('  '))).toEqual([['1', key, message]])
  })

  it('are located in MCP servers too, and all reported', () => {
    const toml = [
      '[agents.gemini]',
      'mcp_servers = [',
      '  { name = "a", url = "ftp://x", headers = { X = 1 } },',
      '  { name = "b c", comand = "x" },',
      '  "x",',
      ']',
    ]
    expect(faults(toml.join('\n')).map((fault) => fault.split('  ').slice(0, 2))).toEqual([
      ['3', 'agents.gemini.mcp_servers[0].url'],
      ['3', 'agents.gemini.mcp_servers[0].headers.X'],
      ['4', 'agents.gemini.mcp_servers[1].comand'],
      ['4', 'agents.gemini.mcp_servers[1].name'],
      ['5', 'agents.gemini.mcp_servers[2]'],
    ])
    expect(faults('agents.gemini.mcp_servers = [{name="a",url="http://a"},{name="a",command="b"}]')).toEqual([
      '1  agents.gemini.mcp_servers[1].name  "a" is already the name of another server; names must differ',
    ])
  })

  it('of one agent do not make its name unknown to default_agent', () => {
    expect(faults('default_agent = "mine"\n[agents.mine]\ncommand = 1')).toHaveLength(1)
  })
})
