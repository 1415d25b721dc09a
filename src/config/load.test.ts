import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfigFlags, LoadedConfig } from './index.ts'
import { formatFaults, loadConfig, showConfig, shownConfig } from './index.ts'

let root = ''
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
})
afterAll(() => {
  rmSync(root, { recursive: true })
})

type Given = { toml?: string | Uint8Array; env?: Record<string, string>; flags?: ConfigFlags; configFile?: string }

function load({ toml, env = {}, flags = {}, configFile }: Given) {
  const dataDir = join(root, String(count++))
  mkdirSync(dataDir)
  if (toml !== undefined) writeFileSync(join(dataDir, 'config.toml'), toml)
  return { dataDir, result: loadConfig({ env, flags, configFile, dataDir }) }
}

function good(given: Given): LoadedConfig {
  const { result, dataDir } = load(given)
  if (!result.ok) throw new Error(formatFaults(result.faults, dataDir))
  return result.value
}

/** The faults as a terminal shows them, one block per array entry. */
function faultsOf(given: Given): string[] {
  const { result, dataDir } = load(given)
  return result.ok ? [] : result.faults.map((fault) => formatFaults([fault], dataDir))
}

describe('precedence', () => {
  it('without anything gives the defaults', () => {
    const { config, file, sources } = good({})
    expect(file).toBeNull()
    expect(config.httpPort).toBe(3000)
    expect(config.timeouts.approvalSeconds).toBe(3600)
    expect(config.database.url).toBeNull()
    expect(config.workspace).toEqual([])
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
  })

  it('is default, file, environment, flag', () => {
    const toml = 'http_port = 1\n[timeouts]\napproval_seconds = 1\nprompt_seconds = 1\n[acp]\nmax_sessions = 1'
    const env = { SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS: '2', SIGNALBOX_ACP__MAX_SESSIONS: '2' }
    const { config, sources } = good({ toml, env, flags: { acp: { maxSessions: 3 }, httpPort: undefined } })
    expect(config.timeouts).toMatchObject({ promptSeconds: 1, approvalSeconds: 2, waitSeconds: 0 })
    expect(config.acp.maxSessions).toBe(3)
    expect(sources).toMatchObject({
      http_port: 'file',
      'timeouts.wait_seconds': 'default',
      'timeouts.prompt_seconds': 'file',
      'timeouts.approval_seconds': 'environment',
      'acp.max_sessions': 'flag',
    })
  })

  it('reports a wrong value even if a later source overrides it', () => {
    expect(faultsOf({ toml: 'http_port = "x"', flags: { httpPort: 1 } })).toHaveLength(1)
  })

  it('gives a frozen configuration', () => {
    const { config } = good({ toml: '[commands]\na = "b"\n[[workspace]]\nid = "w"' })
    for (const part of [config, config.http, config.commands, config.commands['a'], config.workspace[0]]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })
})

describe('the file', () => {
  it('is found in the data directory', () => {
    const { file, dataDir } = good({ toml: '' })
    expect(file).toBe(join(dataDir, 'config.toml'))
  })

  it('named by --config overrides the one named by SIGNALBOX_CONFIG, and that the data directory', () => {
    const [byFlag, byEnv] = [join(root, 'flag.toml'), join(root, 'env.toml')]
    writeFileSync(byFlag, 'http_port = 1')
    writeFileSync(byEnv, 'http_port = 2')
    const env = { SIGNALBOX_CONFIG: byEnv }
    expect(good({ toml: 'http_port = 3', env, configFile: byFlag }).config.httpPort).toBe(1)
    expect(good({ toml: 'http_port = 3', env }).config.httpPort).toBe(2)
  })

  it('must exist when it is named', () => {
    const missing = join(root, 'a-long-name-that-must-not-be-cut'.repeat(3), 'missing.toml')
    expect(faultsOf({ configFile: missing })).toEqual([`command line  --config  ${missing}: file not found`])
    expect(faultsOf({ env: { SIGNALBOX_CONFIG: missing } })).toEqual([`SIGNALBOX_CONFIG  ${missing}: file not found`])
    expect(faultsOf({ configFile: root })).toEqual([`command line  --config  ${root}: is a directory, not a file`])
  })

  it('with a syntax error reports line and column, and quotes nothing from it', () => {
    const [fault = '', ...others] = faultsOf({ toml: '[slack]\nbot_token = "xoxb-hidden\nhttp_port = 1' })
    expect(fault).toMatch(/^config\.toml:2 {2}is not valid TOML: .+ \(column \d+\)$/)
    expect(fault).not.toContain('hidden')
    expect(others).toEqual([])
  })

  it('may begin with a byte order mark and end its lines with CRLF', () => {
    const toml = '\uFEFFhttp_port = 1\r\n[log]\r\nlevel = "loud"\r\n'
    expect(faultsOf({ toml })).toEqual([expect.stringMatching(/^config\.toml:3 {2}log\.level/)])
    expect(good({ toml: toml.replace('loud', 'warn') }).config).toMatchObject({ httpPort: 1, log: { level: 'warn' } })
  })

  it('must be UTF-8', () => {
    expect(faultsOf({ toml: Buffer.from('# \xe9', 'latin1') })).toEqual([
      'config.toml  is not UTF-8 text; save it as UTF-8',
    ])
  })
})

describe('the environment', () => {
  it('reads numbers, switches, lists and tables', () => {
    const { config } = good({
      env: {
        SIGNALBOX_HTTP_PORT: '3001',
        SIGNALBOX_STALL__ENABLED: '0',
        SIGNALBOX_AUTHORIZED_USER_IDS: 'U1, email:a@example.org,',
        SIGNALBOX_HOST_CLI_ARGS: '["-a", "x,y", "-a"]',
        SIGNALBOX_COMMANDS: '{"s": "git status"}',
        SIGNALBOX_WORKSPACE: '[{"id": "w", "channel_id": "C1"}]',
      },
    })
    expect(config.httpPort).toBe(3001)
    expect(config.stall.enabled).toBe(false)
    expect(config.authorizedUserIds).toEqual(['slack:U1', 'email:a@example.org'])
    expect(config.hostCliArgs).toEqual(['-a', 'x,y', '-a'])
    expect({ ...config.commands }).toEqual({ s: { command: 'git status', shell: false, confined: true } })
    expect(config.workspace).toEqual([{ id: 'w', channelId: 'C1', path: null, label: null }])
  })

  it('accepts names set by other tools; ours win', () => {
    const env = { PORT: '4000', AGENT_WORKSPACE_ROOT: '/repos', AGENT_SESSION_IDLE_TIMEOUT: '5' }
    const { config } = good({ env })
    expect([config.httpPort, config.agentWorkspaceRoot, config.acp.idleTimeoutMinutes]).toEqual([4000, '/repos', 5])
    expect(good({ env: { PORT: 'tcp://elsewhere', SIGNALBOX_HTTP_PORT: '1' } }).config.httpPort).toBe(1)
    expect(faultsOf({ env: { PORT: 'x' } })).toEqual(['PORT  http_port  must be a whole number, not "x"'])
  })

  it('is ignored if empty or not ours', () => {
    const env = {
      SIGNALBOX_HTTP_PORT: '',
      DATABASE_URL: 'mysql://x',
      SIGNALBOX_HOME: '/x',
      SIGNALBOX_CONFIG: '',
      HOME: '/',
    }
    expect(new Set(Object.values(good({ env }).sources))).toEqual(new Set(['default']))
  })

  it('reports faults by the name of the variable', () => {
    const env = {
      SIGNALBOX_COMMANDS: '{"s"',
      SIGNALBOX_COMMANDS__S: 'x',
      SIGNALBOX_DATABASE__SYNCHRONOUS: 'ful',
      SIGNALBOX_HTTP__ALLOWED_HOSTS: '["a"',
      SIGNALBOX_PORT: '1',
      SIGNALBOX_TIMEOUTS_APPROVAL_SECONDS: '1',
      SIGNALBOX_TIMEOUTS__APROVAL_SECONDS: '1',
      SIGNALBOX_ZEBRA: '',
    }
    expect(faultsOf({ env }).sort()).toEqual([
      'SIGNALBOX_COMMANDS  commands  must be JSON; check quotes, commas and brackets',
      'SIGNALBOX_COMMANDS__S  unknown variable; set all of it as JSON in SIGNALBOX_COMMANDS',
      'SIGNALBOX_DATABASE__SYNCHRONOUS  database.synchronous  must be "full" or "normal", not "ful"; did you mean "full"?',
      'SIGNALBOX_HTTP__ALLOWED_HOSTS  http.allowed_hosts  starts like a JSON list but is not one; write ["a", "b"] or a,b',
      'SIGNALBOX_PORT  unknown variable; did you mean SIGNALBOX_HTTP_PORT?',
      'SIGNALBOX_TIMEOUTS_APPROVAL_SECONDS  unknown variable; did you mean SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS?',
      'SIGNALBOX_TIMEOUTS__APROVAL_SECONDS  unknown variable; did you mean SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS?',
      'SIGNALBOX_ZEBRA  unknown variable',
    ])
  })
})

describe('flags', () => {
  it('are read like variables if they are text', () => {
    expect(good({ flags: { httpPort: '8080', http: { allowedHosts: 'a,b' } } }).config).toMatchObject({
      httpPort: 8080,
      http: { allowedHosts: ['a', 'b'] },
    })
  })

  it('with a wrong value or an unknown name are faults', () => {
    const misspelt: object = { htpPort: 1, http: { hst: 'x' } }
    expect(faultsOf({ flags: { httpPort: '70000', ...misspelt } })).toEqual([
      'command line  htp_port  unknown key; did you mean http_port?',
      'command line  http.hst  unknown key; did you mean host?',
      'command line  http_port  must be at most 65535, not 70000',
    ])
  })
})

describe('showing', () => {
  it('masks secrets and says where each value came from', () => {
    const toml =
      '[slack]\nbot_token = "xoxb-1234-hidden"\napp_token = "xapp-1-hidden"\n[[workspace]]\nid = "w"\npath = "/w"'
    const env = { SIGNALBOX_DATABASE__URL: 'postgres://ann:hid%40den@db:5432/box?sslpassword=hidden' }
    const { text, json } = showConfig(shownConfig(good({ toml, env })))
    expect(`${text}${JSON.stringify(json)}`).not.toMatch(/hid(?:%40)?den/)
    expect(text).toMatch(/^slack\.bot_token +file +"xoxb-…masked"$/m)
    expect(text).toMatch(/^timeouts\.approval_seconds +default +3600$/m)
    expect(text).toMatch(/^workspace_root +default +\(not set\)$/m)
    expect(json).toMatchObject({
      values: {
        'database.url': { value: 'postgres://ann:***@db:5432/box?sslpassword=***', source: 'environment' },
        workspace: { value: [{ id: 'w', path: '/w' }], source: 'file' },
      },
    })
  })
})
