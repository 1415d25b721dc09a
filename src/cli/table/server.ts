import { command, family, number, on, text } from '../command.ts'

export const serveFlags = {
  port: text('PORT', 'Port to listen on; 0 for any free one (default: PORT, else http_port)'),
  host: text('HOST', 'Address to listen on (default: http.host)'),
  open: on('Open the login link in the browser'),
  detach: on('Start it in the background, and return when it is ready'),
}
export const pairFlags = {
  anyway: on("Show the code even if a phone can't reach the address"),
  lan: text('HOST', 'Make a certificate of your own for this address or name of this machine'),
}
export const rollbackFlags = {
  to: number('VERSION', 'Schema to go back to (default: one step back)'),
  yes: on('Roll back without asking'),
}

export const showConfigFlags = { local: on('What a start from here would use, also while a server is running') }
export const importFlags = { 'dry-run': on('Show what would be imported, without changing anything') }

const server = 'Run the server'
const upkeep = 'Maintenance'

export const serverCommands = [
  command({
    name: 'serve',
    summary: 'Start the server',
    group: server,
    flags: serveFlags,
    examples: ['signalbox serve', 'signalbox serve --port 4000 --open', 'signalbox serve --detach'],
    load: async () => (await import('../commands/serve.ts')).serve,
  }),
  command({
    name: 'status',
    summary: 'Server status: address, sessions and open asks',
    group: server,
    examples: ['signalbox status', 'signalbox status --json'],
    load: async () => (await import('../commands/status.ts')).status,
  }),
  command({
    name: 'login',
    summary: 'Print a link that signs a browser in, once',
    group: server,
    examples: ['signalbox login', 'signalbox login --json'],
    load: async () => (await import('../commands/login.ts')).login,
  }),
  command({
    name: 'pair',
    summary: 'Show a code that signs a phone in, once',
    group: server,
    flags: pairFlags,
    more: 'A phone needs an address it can reach, over TLS. Without one, this lists the ways that work here: see docs/phone.md.',
    examples: ['signalbox pair', 'signalbox pair --lan 192.168.1.20', 'signalbox pair --json'],
    load: async () => (await import('../commands/pair.ts')).pair,
  }),
  command({
    name: 'doctor',
    summary: 'Check this machine, the data and the server, and suggest fixes',
    group: server,
    examples: ['signalbox doctor', 'signalbox doctor --home /srv/signalbox'],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  }),
]

export const upkeepCommands = [
  family({
    name: 'config',
    summary: 'Check or show the configuration',
    group: upkeep,
    examples: ['signalbox config check', 'signalbox config show --json'],
    children: [
      command({
        name: 'check',
        summary: 'List all errors',
        examples: ['signalbox config check', 'signalbox config check --config new.toml'],
        load: async () => (await import('../commands/config.ts')).checkConfig,
      }),
      command({
        name: 'show',
        summary: 'Values that the server runs with and their sources; secrets masked',
        more: 'If no server is running: the values of a start from here.',
        flags: showConfigFlags,
        examples: ['signalbox config show', 'signalbox config show --local --json'],
        load: async () => (await import('../commands/config.ts')).showConfiguration,
      }),
    ],
  }),
  family({
    name: 'db',
    summary: 'Show the database schema, migrate it or roll it back; import other data',
    group: upkeep,
    alone: 'status',
    examples: ['signalbox db status', 'signalbox db rollback --to 3'],
    children: [
      command({
        name: 'status',
        summary: 'Steps done and to do',
        examples: ['signalbox db status', 'signalbox db status --json'],
        load: async () => (await import('../commands/db.ts')).databaseStatus,
      }),
      command({
        name: 'migrate',
        summary: 'Bring the schema up to date (a start does this too)',
        examples: ['signalbox db migrate', 'signalbox db migrate --json'],
        load: async () => (await import('../commands/db.ts')).migrateDatabase,
      }),
      command({
        name: 'rollback',
        summary: 'Roll back schema steps; data that only they can store is lost',
        flags: rollbackFlags,
        more: 'Shows the steps and asks first. The database is backed up before.',
        examples: ['signalbox db rollback', 'signalbox db rollback --to 3 --yes'],
        load: async () => (await import('../commands/db.ts')).rollBackDatabase,
      }),
      command({
        name: 'import',
        summary: 'Import the database of a NanoClaw installation (data/v2.db)',
        args: [{ name: 'FILE' }],
        flags: importFlags,
        more: 'Imports agent groups, chats, people, roles and sessions in one transaction. Existing rows are not changed.',
        examples: ['signalbox db import ~/nanoclaw/data/v2.db --dry-run', 'signalbox db import ~/nanoclaw/data/v2.db'],
        load: async () => (await import('../commands/db-import.ts')).importDatabase,
      }),
    ],
  }),
  command({
    name: 'completion',
    summary: 'Print a completion script for a shell',
    group: upkeep,
    args: [{ name: 'SHELL', values: ['bash', 'zsh', 'fish'] }],
    examples: [
      'source <(signalbox completion bash)',
      'signalbox completion fish > ~/.config/fish/completions/signalbox.fish',
    ],
    load: async () => (await import('../commands/completion.ts')).completion,
  }),
  command({
    name: 'version',
    summary: 'Print the version',
    group: upkeep,
    examples: ['signalbox version', 'signalbox --version'],
    load: async () => (await import('../commands/version.ts')).version,
  }),
]
