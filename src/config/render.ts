import { stringify } from 'smol-toml'
import { aliases, variableFor } from './environment.ts'
import type { Key } from './key.ts'
import { allKeys, sectionNames, splitKey } from './schema.ts'

const literal = (value: unknown): string =>
  stringify({ x: value })
    .trim()
    .replace(/^x = /, '')
    .replace(/^\[ (.*) \]$/, '[$1]')
const isBlock = ({ kind }: Key<unknown>): boolean => kind === 'table'
const header = (name: string): string => {
  if (name === 'agents') return '[agents.NAME]'
  return name === 'workspace' ? '[[workspace]]' : `[${name}]`
}

function keysOf(section: string): [string, Key<unknown>][] {
  return [...allKeys].flatMap(([dottedKey, key]): [string, Key<unknown>][] => {
    const [table, name] = splitKey(dottedKey)
    return table === section && !isBlock(key) ? [[name, key]] : []
  })
}

const tableKeys = (): [string, Key<unknown>][] => [...allKeys].filter(([, key]) => isBlock(key))

const intro = `# Signalbox: every key with its default. Copy this file to config.toml in the data directory, remove the "# " from
# the lines you change, and check the result with: signalbox config check
# An environment variable wins over this file, and a command-line flag wins over both.`

/** `config.example.toml`: each line is prose, a table title, or a key that can be uncommented. */
export function renderExample(): string {
  const lines = [intro, '']
  for (const section of ['', ...sectionNames]) {
    if (section !== '') lines.push(header(section), '')
    for (const [name, { about, fallback, example }] of keysOf(section)) {
      lines.push(`# ${about}${fallback === null ? ' Not set by default.' : ''}`)
      lines.push(`# ${name} = ${fallback === null ? (example ?? '""') : literal(fallback)}`, '')
    }
  }
  for (const [name, { about, example }] of tableKeys()) {
    lines.push(`# ${about} None by default.`, `# ${header(name)}`)
    for (const line of (example ?? '').split('\n')) lines.push(`# ${line}`)
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

function row(dottedKey: string, { about, fallback, says, secret }: Key<unknown>): string {
  const alias = aliases[dottedKey]
  const shownDefault = fallback === null ? 'not set' : `\`${literal(fallback)}\``
  const variables = `\`${variableFor(dottedKey)}\`${alias === undefined ? '' : ` or \`${alias}\``}`
  const note = secret === undefined ? '' : ' Secret: masked wherever it is shown.'
  return `| \`${splitKey(dottedKey)[1]}\` | ${cell(says)} | ${cell(shownDefault)} | ${cell(about)}${note}<br>${variables} |`
}

const tableHead = '| key | type | default | meaning and variable |\n|---|---|---|---|'

/** `docs/configuration.md` */
export function renderReference(): string {
  const parts = [guide]
  for (const section of ['', ...sectionNames]) {
    parts.push(section === '' ? '### Top of the file' : `### \`${header(section)}\``)
    const rows = keysOf(section).map(([name, key]) => row(section === '' ? name : `${section}.${name}`, key))
    parts.push([tableHead, ...rows].join('\n'))
  }
  for (const [name, { about, example, says }] of tableKeys()) {
    parts.push(`### \`${header(name)}\``)
    parts.push(
      `${about} As \`${name}\`, ${says}; none by default. In the environment: \`${variableFor(name)}\`, as JSON.`,
    )
    parts.push(`\`\`\`toml\n${header(name)}\n${example}\n\`\`\``)
  }
  return `${parts.join('\n\n')}\n`
}

const guide = `# Configuration

Signalbox runs without any configuration. To change a setting, use a TOML file, the environment or command-line
flags. For each key, a flag wins over a variable, a variable over the file, and the file over the default. Lists and
tables are replaced as a whole, never merged.

\`\`\`sh
signalbox config check   # all errors at once, with file, line, key and a suggestion
signalbox config show    # the effective values and their sources; secrets masked
\`\`\`

## The file

The first of these that applies:

1. the file named by \`--config\`
2. the file named by the variable \`SIGNALBOX_CONFIG\`
3. \`config.toml\` in the data directory, if it exists

A file you name must exist. \`config.example.toml\` lists every key with its default: copy it and uncomment the lines
you change. An unknown key is a fault, so misspelt keys are reported. The file is read when the server starts. After a
change, restart the server.

The keys of \`[slack]\` are checked, but have no effect yet.

[agents.md](agents.md) lists what you can set for an agent, and what each one gets by default.

## The data directory

Set it with \`SIGNALBOX_HOME\`. The default depends on the platform:

| platform | data directory |
|---|---|
| Linux | \`$XDG_DATA_HOME/signalbox\`, else \`~/.local/share/signalbox\` |
| macOS | \`~/Library/Application Support/Signalbox\` |
| Windows | \`%LOCALAPPDATA%\\Signalbox\` |

## The environment

A key of a table is \`SIGNALBOX_<TABLE>__<KEY>\`, with two underscores between; a key outside tables is
\`SIGNALBOX_<KEY>\`:

\`\`\`sh
SIGNALBOX_HTTP_PORT=3001
SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS=60
SIGNALBOX_AUTHORIZED_USER_IDS=slack:U012ABCDEF,email:you@example.org   # or a JSON list
SIGNALBOX_COMMANDS='{"status": "git status --short"}'                  # tables are JSON
\`\`\`

\`PORT\`, \`AGENT_WORKSPACE_ROOT\` and \`AGENT_SESSION_IDLE_TIMEOUT\` work too; the \`SIGNALBOX_\` name of the same key wins
over them. An empty variable counts as unset. An unknown variable that starts with \`SIGNALBOX_\` is a fault.
\`DATABASE_URL\` is not read, because it is often set for another program.

## Reaching it from other machines

By default the server listens on loopback only. An \`http.host\` that others can reach is refused without encryption,
because tokens and answers would cross the network unencrypted. There are three ways:

- Stay on loopback and connect through SSH: \`ssh -L 3000:127.0.0.1:3000 you@server\`, then open
  \`http://localhost:3000\`.
- Let Signalbox serve TLS: set \`http.tls_cert\` and \`http.tls_key\`. Relative paths start at the directory of the configuration file.
- Put a proxy with TLS in front, and name its address in \`http.trusted_proxies\` and the address people use in
  \`http.public_url\`.

## Every key`
