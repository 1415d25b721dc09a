import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Result } from '../result.ts'
import { clients, type ClientName, type InstallScope } from './clients.ts'
import { planInstall, planRemoval } from './install.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-install-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const command = '/opt/box/signalbox'
const launch = { command, args: ['mcp'], env: {} }

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

function plan(client: ClientName, scope: InstallScope = 'user', given = launch) {
  const place = { home, cwd: join(home, 'project'), env: {}, platform: 'linux' as const }
  return valueOf(planInstall({ client, scope, launch: given, place }))
}
function put(file: string, text: string): string {
  const path = join(home, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
const read = (path: string) => readFileSync(path, 'utf8')

const day = 86_400_000
const inEditor = { type: 'stdio', command, args: ['mcp', '--workspace', '${workspaceFolder}'] }
const files: [ClientName, string, string, object][] = [
  [
    'claude',
    '.claude.json',
    '.mcp.json',
    { mcpServers: { signalbox: { type: 'stdio', command, args: ['mcp'], timeout: day } } },
  ],
  ['cursor', '.cursor/mcp.json', '.cursor/mcp.json', { mcpServers: { signalbox: inEditor } }],
  ['vscode', '.config/Code/User/mcp.json', '.vscode/mcp.json', { servers: { signalbox: inEditor } }],
  [
    'gemini',
    '.gemini/settings.json',
    '.gemini/settings.json',
    { mcpServers: { signalbox: { command, args: ['mcp'], timeout: day } } },
  ],
  [
    'codex',
    '.codex/config.toml',
    '.codex/config.toml',
    { mcp_servers: { signalbox: { command, args: ['mcp'], startup_timeout_sec: 60, tool_timeout_sec: 86_400 } } },
  ],
  [
    'opencode',
    '.config/opencode/opencode.json',
    'opencode.json',
    { mcp: { signalbox: { type: 'local', command: [command, 'mcp'], enabled: true, timeout: day } } },
  ],
]

describe.each(files)('installing for %s', (client, userFile, projectFile, expected) => {
  const parsed = (text: string): unknown => (client === 'codex' ? structuredClone(parse(text)) : JSON.parse(text))

  it.each(['user', 'project'] as const)('creates the file of the %s if there is none', (scope) => {
    const planned = plan(client, scope)
    expect(planned.path).toBe(scope === 'user' ? join(home, userFile) : join(home, 'project', projectFile))
    expect(planned.outcome).toBe('added')
    expect(parsed(planned.snippet)).toEqual(expected)
    planned.write()
    expect(parsed(read(planned.path))).toEqual(expected)
  })

  it('changes nothing the second time', () => {
    plan(client).write()
    const { path } = plan(client)
    const before = [read(path), statSync(path).ino]
    const again = plan(client)
    expect(again.outcome).toBe('unchanged')
    again.write()
    expect([read(path), statSync(path).ino]).toEqual(before)
  })

  it('changes only its own entry if the program has moved', () => {
    plan(client, 'user', { command: '/old/signalbox', args: ['mcp', '--url', 'http://x'], env: {} }).write()
    const planned = plan(client)
    expect(planned.outcome).toBe('changed')
    planned.write()
    expect(parsed(read(planned.path))).toEqual(expected)
  })

  it('can be removed, and leaves the servers of others', () => {
    plan(client).write()
    const removal = () =>
      valueOf(planRemoval({ client, scope: 'user', launch, place: { home, cwd: home, env: {}, platform: 'linux' } }))
    expect(removal().isThere).toBe(true)
    removal().write()
    expect(read(plan(client).path)).not.toContain('signalbox')
    expect(removal().isThere).toBe(false)
  })

  it('writes nothing before it is told to', () => {
    expect(() => read(plan(client).path)).toThrow('ENOENT')
  })
})

describe('removing from an existing file', () => {
  const remove = (client: ClientName) =>
    valueOf(
      planRemoval({ client, scope: 'user', launch, place: { home, cwd: home, env: {}, platform: 'linux' } }),
    ).write()

  it('keeps every other character of JSON', () => {
    const before = '{\r\n\t"a" : 1.0,\r\n\t"mcpServers": { "other": {"command":"x"} },\r\n\t"z": [ ]\r\n}'
    const path = put('.cursor/mcp.json', before)
    plan('cursor').write()
    remove('cursor')
    expect(read(path)).toBe(before)
    const first = '{ "mcpServers": { "signalbox": { "command": "x" }, "other": { "command": "y" } } }'
    put('.cursor/mcp.json', first)
    remove('cursor')
    expect(JSON.parse(read(path))).toEqual({ mcpServers: { other: { command: 'y' } } })
  })

  it('keeps every other line of TOML, and removes subtables', () => {
    const before = '# mine\nmodel = "x" # why\n\n[mcp_servers.other]\ncommand = "y"\n'
    const path = put('.codex/config.toml', before)
    plan('codex').write()
    writeFileSync(path, `${read(path).trimEnd()}\n\n[mcp_servers.signalbox.tools.heartbeat]\napproval = "auto"\n`)
    remove('codex')
    expect(parse(read(path))).toEqual(parse(before))
    expect(read(path)).toContain('# mine\nmodel = "x" # why')
  })
})

describe('an existing file', () => {
  it('keeps every other character of JSON', () => {
    const before = '{\r\n\t"a" : 1.0,\r\n\t"mcpServers": { "other": {"command":"x"} },\r\n\t"z": [ ]\r\n}'
    const path = put('.cursor/mcp.json', before)
    plan('cursor').write()
    const after = read(path)
    expect(JSON.parse(after).mcpServers.signalbox).toEqual(inEditor)
    const added = after.slice(after.indexOf(',\r\n\t\t"signalbox"'), after.indexOf(' },\r\n\t"z"'))
    expect(after.replace(added, '')).toBe(before)
    expect(added).toMatch(/^,\r\n\t\t"signalbox": \{\r\n\t\t\t"type": "stdio",\r\n/)
  })

  it('adds to an empty object, to an empty file, and to one with a byte order mark', () => {
    for (const text of ['{}', '{\n}\n', '', '  \n', '\ufeff{"b":2}']) {
      const path = put('.gemini/settings.json', text)
      plan('gemini').write()
      expect(JSON.parse(read(path).replace('\ufeff', '')).mcpServers.signalbox.command).toBe(command)
      expect(read(path).startsWith('\ufeff')).toBe(text.startsWith('\ufeff'))
    }
  })

  it('keeps what others added to our entry, but not what we wrote before', () => {
    const entry = { command: 'old', env: { SIGNALBOX_TOKEN: 't' }, trust: true }
    const path = put('.gemini/settings.json', JSON.stringify({ mcpServers: { signalbox: entry } }))
    plan('gemini').write()
    expect(JSON.parse(read(path)).mcpServers.signalbox).toEqual({ trust: true, command, args: ['mcp'], timeout: day })
  })

  it.each(['{\n  // mine\n  "mcpServers": {}\n}', '{"mcpServers": {},}', '{"mcpServers": []}', '[]', 'nonsense'])(
    'is left alone if changing it could lose something, and says what to add: %s',
    (text) => {
      const path = put('.cursor/mcp.json', text)
      const planned = plan('cursor')
      const refused = { fault: { code: 'file_not_editable', message: expect.stringContaining(planned.snippet) } }
      expect(planned.write()).toMatchObject(refused)
      expect(read(path)).toBe(text)
    },
  )

  it('writes into opencode.jsonc if that exists, and one level deeper if its servers are there', () => {
    const path = put('.config/opencode/opencode.jsonc', '{"mcp": {"servers": {"x": {"type": "local", "command": []}}}}')
    const planned = plan('opencode')
    expect(planned.path).toBe(path)
    planned.write()
    expect(JSON.parse(read(path)).mcp.servers.signalbox).toEqual({
      type: 'local',
      command: [command, 'mcp'],
      timeout: { startup: 60_000, request: day },
    })
  })

  it('keeps its permissions, and stays a link if it is one', () => {
    const real = put('dotfiles/claude.json', '{}')
    chmodSync(real, 0o640)
    symlinkSync(real, join(home, '.claude.json'))
    plan('claude').write()
    expect(lstatSync(join(home, '.claude.json')).isSymbolicLink()).toBe(true)
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(JSON.parse(read(real)).mcpServers.signalbox.command).toBe(command)
  })

  it('is made private when a token is added', () => {
    const planned = plan('claude', 'user', { ...launch, env: { SIGNALBOX_TOKEN: 'secret' } })
    planned.write()
    expect(statSync(planned.path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(read(planned.path)).mcpServers.signalbox.env).toEqual({ SIGNALBOX_TOKEN: 'secret' })
  })
})

describe('existing TOML', () => {
  const others = '# mine\nmodel = "x" # why\n\n[mcp_servers.other]\ncommand = "y"\nargs = [\n  "a", # b\n]\n'
  const theirs =
    '\n# about tools\n[mcp_servers.signalbox.tools.ask_approval]\napproval_mode = "approve"\n\n[tui]\nz = 1\n'

  it('keeps every other line', () => {
    const path = put('.codex/config.toml', others)
    plan('codex').write()
    expect(read(path).startsWith(`${others}\n[mcp_servers.signalbox]\n`)).toBe(true)
  })

  it('changes its own table in place, and keeps the tables below it', () => {
    const old = '\n[mcp_servers.signalbox]\ncommand = "old"\n\n[mcp_servers.signalbox.env]\nSIGNALBOX_TOKEN = "t"\n'
    const path = put('.codex/config.toml', others + old + theirs)
    expect(plan('codex').outcome).toBe('changed')
    plan('codex').write()
    const after = read(path)
    expect(after.startsWith(others)).toBe(true)
    expect(after.endsWith(theirs)).toBe(true)
    expect(after).not.toContain('SIGNALBOX_TOKEN')
    expect(plan('codex').outcome).toBe('unchanged')
  })

  it.each(['mcp_servers = {}\n', '[mcp_servers.signalbox]\ncommand = "x"\nenabled_tools = ["a"]\n', 'not toml ='])(
    'is left alone if changing it could lose something: %s',
    (text) => {
      const path = put('.codex/config.toml', text)
      const message = expect.stringContaining('[mcp_servers.signalbox]')
      expect(plan('codex').write()).toMatchObject({ fault: { message } })
      expect(read(path)).toBe(text)
    },
  )
})

it('passes no local folder to a remote server', () => {
  const remote = { command, args: ['mcp', '--url', 'https://box.example.org'], env: {} }
  expect(plan('cursor', 'user', remote).snippet).not.toContain('workspaceFolder')
})

it('finds the files where each client’s environment says', () => {
  const place = { home: '/h', cwd: '/p', platform: 'linux' as const }
  const env = { CODEX_HOME: '/x', CLAUDE_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/g' }
  const at = (client: ClientName, more: object = {}) => clients[client].file('user', { ...place, env, ...more })
  expect(at('codex')).toBe('/x/config.toml')
  expect(at('claude')).toBe('/c/.claude.json')
  expect(at('opencode')).toBe('/g/opencode/opencode.json')
  expect(at('vscode')).toBe('/g/Code/User/mcp.json')
  expect(at('vscode', { platform: 'darwin' })).toBe('/h/Library/Application Support/Code/User/mcp.json')
})
