import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from './schema.ts'
import { formatFaults, loadConfig } from './index.ts'

let dataDir = ''
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
})
afterAll(() => {
  rmSync(dataDir, { recursive: true })
})

function load(toml: string) {
  writeFileSync(join(dataDir, 'config.toml'), toml)
  return loadConfig({ env: {}, dataDir })
}

function faults(toml: string): string[] {
  const result = load(toml)
  return result.ok ? [] : result.faults.map((fault) => formatFaults([fault], dataDir).replace('config.toml:', ''))
}

function config(toml: string): Config {
  const result = load(toml)
  if (!result.ok) throw new Error(formatFaults(result.faults, dataDir))
  return result.value.config
}

const cases: readonly (readonly [string, string])[] = [
  ['http_port = "3000"', 'must be a whole number, not "3000"; remove the quotes'],
  ['http_port = 1.5', 'must be a whole number, not 1.5'],
  ['http_port = nan', 'must be a whole number, not NaN'],
  ['http_port = 2026-01-01', 'must be a whole number, not a date'],
  ['http_port = -1', 'must be at least 0, not -1'],
  ['http_port = 65536', 'must be at most 65535, not 65536'],
  ['max_concurrent_sessions = 0', 'must be at least 1, not 0'],
  ['ipc_name = "a/b"', 'must have only letters, digits, ".", "-" and "_"'],
  ['ipc_name = ".."', 'must have a letter or a digit'],
  ['host_cli = ""', 'must not be empty; remove it to use the default'],
  ['host_cli = 3', 'must be a string, not a number; put it in quotes'],
  ['host_cli_args = "-x"', 'must be a list, not a string; put it in square brackets'],
  ['workspace_root = "\\u0000"', 'must not contain a NUL character'],
  ['slack = 1', 'must be a table, not a number; write [slack] on a separate line'],
  [
    'slack.app_token = "xoxb-1"',
    'must be a Slack token that starts with xapp-; this is a bot token: it belongs in bot_token',
  ],
  [
    'slack.channel_id = "#general"',
    "must be a Slack channel id: C or G, then letters and digits (not the channel's name)",
  ],
  ['stall.enabled = "yes"', 'must be true or false, not "yes"'],
  [
    'log.level = "warning"',
    'must be "trace", "debug", "info", "warn", "error" or "silent", not "warning"; did you mean "warn"?',
  ],
  ['log.format = 3', 'must be "auto", "json" or "pretty", not 3'],
  ['http.host = "http://x"', 'must be a host name or an IP address; leave out the scheme'],
  ['http.host = "localhost:80"', 'must be a host name or an IP address; leave out the port'],
  ['http.host = "300.1.1.1"', 'must be a host name or an IP address'],
  ['http.public_url = "example.org"', 'must be an address that starts with https:// or http://'],
  ['http.public_url = "https://u:hidden@a.org/x"', 'must have nothing after host and port; write https://a.org'],
  ['http.tls_cert = "c.pem"', 'is set, but http.tls_key is not; TLS needs both'],
  [
    'database.url = "mysql://u:hidden@h/d"',
    'must be an address such as postgres://user:password@host:5432/name; for SQLite, leave it out',
  ],
  ['commands = 1', 'must be a table, not a number; write [commands] and one alias = "command" per line'],
  ['workspace = {}', 'must be a list of tables, not a table; write [[workspace]], with two brackets on each side'],
  ['aproval_seconds = 1', 'unknown key; did you mean approval_seconds under [timeouts]?'],
  ['[timeout]', 'unknown table; did you mean [timeouts]?'],
  ['[[workspaces]]', 'unknown table; did you mean [[workspace]]?'],
  ['[banana]', 'unknown table'],
]

describe('a single fault', () => {
  it.each(cases)('%s', (toml, expected) => {
    const [fault = '', ...others] = faults(`# first line\n${toml}`)
    expect(others).toEqual([])
    expect(fault).toMatch(/^2 {2}/)
    expect(fault.split('  ').slice(2).join('  ')).toBe(expected)
  })
})

describe('faults inside lists and tables', () => {
  it('are placed on the line of the item', () => {
    expect(faults('authorized_user_ids = [\n  "U1",\n  "ann",\n  "a@b.org",\n]')).toEqual([
      '3  authorized_user_ids[1]  must be an identity: slack:U…, tg:…, discord:…, phone:…, email:… or local:…',
      '4  authorized_user_ids[2]  must be an identity: slack:U…, tg:…, discord:…, phone:…, email:… or local:…; did you mean "email:a@b.org"?',
    ])
    expect(
      faults('[http]\ntrusted_proxies = ["loopback", "10.0.0.0/8", "::1/128",\n"10.0.0.0/33", "1.2.3.4/5/6", "x"]'),
    ).toHaveLength(3)
  })

  it('of workspaces are all reported, duplicates too', () => {
    const toml =
      '[[workspace]]\nid = "a"\nchanel_id = "C1"\n[[workspace]]\nid = "a"\npath = "x"\n[[workspace]]\nlabel = "y"'
    expect(faults(toml).map((fault) => fault.replace(/perhaps.*/, '…'))).toEqual([
      '3  workspace[0].chanel_id  unknown key; did you mean channel_id?',
      '5  workspace[1].id  "a" is already the id of workspace[0]; ids must differ',
      '6  workspace[1].path  must be an absolute path; …',
      '7  workspace[2]  has no id; add id = "…", a name for this workspace',
    ])
  })

  it('of commands are all reported', () => {
    expect(faults('[commands]\na = 1\nb = { comand = "x" }\nc = { shell = 1 }\n"d e" = "x"\nf = ""')).toEqual([
      '2  commands.a  must be a string or {command, shell, confined}, not a number',
      '3  commands.b.comand  unknown key; did you mean command?',
      '4  commands.c  has no command; write { command = "…", shell = true }',
      '4  commands.c.shell  must be true or false, not 1',
      '5  commands."d e"  an alias has only letters, digits, ".", "-" and "_", and starts with a letter or digit',
      '6  commands.f  must not be empty; remove it to use the default',
    ])
  })
})

describe('many faults', () => {
  it('are reported at once, in the order of sources and lines', () => {
    writeFileSync(
      join(dataDir, 'config.toml'),
      'port = 1\n[http]\nhost = "0.0.0.0"\n[timeouts]\naproval_seconds = 1\nwait_seconds = -1',
    )
    const env = { SIGNALBOX_HTTP__BODY_LIMIT_BYTES: '1' }
    const result = loadConfig({ env, flags: { log: { level: 'loud' } }, dataDir })
    const found = result.ok ? [] : result.faults.map(({ source, line, key }) => [source, line, key])
    expect(found).toEqual([
      ['file', 1, 'port'],
      ['file', 3, 'http.host'],
      ['file', 5, 'timeouts.aproval_seconds'],
      ['file', 6, 'timeouts.wait_seconds'],
      ['environment', undefined, 'http.body_limit_bytes'],
      ['flag', undefined, 'log.level'],
    ])
  })

  it('are separate blocks', () => {
    const result = load('[http]\nhost = "::"\n[log]\nlevl = "x"')
    expect(formatFaults(result.ok ? [] : result.faults, dataDir)).toBe(
      [
        'config.toml:2  http.host  :: can be reached from other machines, and tokens and answers would cross the network unencrypted',
        '    To fix it, do one of these:',
        '    - keep host = "127.0.0.1" and connect through SSH: ssh -L 3000:127.0.0.1:3000 you@this-machine',
        '    - serve TLS: set http.tls_cert and http.tls_key',
        '    - put a proxy with TLS in front and name its address in http.trusted_proxies',
        'config.toml:4  log.levl  unknown key; did you mean level?',
      ].join('\n'),
    )
  })
})

describe('listening beyond loopback', () => {
  it.each(['127.0.0.1', '127.9.9.9', '::1', '[::1]', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST'])(
    '%s needs nothing',
    (host) => {
      expect(faults(`http.host = "${host}"`)).toEqual([])
    },
  )

  it.each(['0.0.0.0', '::', '192.168.1.2', 'box.example.org', 'localhost.example.org', '128.0.0.1'])(
    '%s is refused',
    (host) => {
      expect(faults(`http.host = "${host}"`)).toEqual([expect.stringContaining('can be reached from other machines')])
    },
  )

  it('is allowed with TLS or a trusted proxy', () => {
    expect(faults('[http]\nhost = "0.0.0.0"\ntls_cert = "c"\ntls_key = "k"')).toEqual([])
    expect(faults('[http]\nhost = "0.0.0.0"\ntrusted_proxies = ["10.0.0.1"]')).toEqual([])
  })

  it('is not judged while a key it depends on is itself wrong', () => {
    expect(faults('[http]\nhost = "0.0.0.0"\ntrusted_proxies = ["x"]')).toEqual([expect.stringMatching(/^3 /)])
  })
})

describe('normal forms', () => {
  it('of people, hosts, addresses and paths', () => {
    const { authorizedUserIds, http } = config(
      'authorized_user_ids = ["U1", "slack:U1", "W2", "tg:7"]\n[http]\nhost = "[::1]"\npublic_url = "https://A.org:443/"\n' +
        'allowed_hosts = ["B.org", "b.org"]\ntls_cert = "tls/c.pem"\ntls_key = "/k.pem"',
    )
    expect(authorizedUserIds).toEqual(['slack:U1', 'slack:W2', 'tg:7'])
    expect(http).toMatchObject({ host: '::1', publicUrl: 'https://a.org', allowedHosts: ['b.org'], tlsKey: '/k.pem' })
    expect(http.tlsCert).toBe(join(dataDir, 'tls/c.pem'))
  })

  it('of commands', () => {
    const { commands } = config('[commands]\na = "x y"\nb = { command = "c | d", shell = true }\nc = { command = "e" }')
    expect({ ...commands }).toEqual({
      a: { command: 'x y', shell: false, confined: true },
      b: { command: 'c | d', shell: true, confined: true },
      c: { command: 'e', shell: false, confined: true },
    })
  })
})

describe('hostile input', () => {
  it('never reaches a prototype', () => {
    const toml =
      '__proto__ = { httpPort = 1 }\nconstructor.prototype.x = 1\n[http]\n__proto__ = 1\n[commands]\n__proto__ = "x"\n'
    expect(
      faults(`${toml}[[workspace]]\nid = "w"\n__proto__.path = "/x"`).map((fault) => fault.split('  ')[1]),
    ).toEqual(['__proto__', 'constructor', 'http.__proto__', 'commands.__proto__', 'workspace[0].__proto__'])
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('finds no command that was not configured', () => {
    expect(config('').commands['constructor']).toBeUndefined()
    expect(config('[commands]\na = "b"').commands['toString']).toBeUndefined()
    expect(config('[commands]\nconstructor = "make"').commands['constructor']).toEqual({
      command: 'make',
      shell: false,
      confined: true,
    })
  })

  it('cannot write control characters to a terminal', () => {
    const [key = '', value = ''] = faults('"a\\u001b[2Jb\\u202e" = 1\nlog.level = "\\u001b]0;x\\u0007"')
    expect(`${key}${value}`).not.toMatch(/\p{C}/u)
    expect(key).toContain('a\\u{1b}[2Jb')
  })

  it('never shows a secret in a wrong value', () => {
    const toml =
      '[slack]\nbot_token = "hidden"\napp_token = ["hidden"]\n[database]\nurl = "hidden"\n[http]\npublic_url = "x://a:hidden@b"'
    expect(faults(toml)).toHaveLength(4)
    expect(faults(toml).join('\n')).not.toContain('hidden')
  })

  it('of a megabyte gets an answer', () => {
    expect(faults(`host_cli = """\n${'x\n'.repeat(500_000)}"""\nport = 1`)).toEqual([
      '500003  port  unknown key; did you mean http_port?',
    ])
    expect(faults(`${'a.'.repeat(300_000)}b = 1`)).toEqual(['1  a  unknown table'])
    expect(faults(`http_port = ${'['.repeat(500_000)}`)).toHaveLength(1)
    expect(faults(Array.from({ length: 20_000 }, (_, index) => `k${index} = 1`).join('\n'))).toHaveLength(20_000)
  })
})
