import { command, family, on, text } from '../command.ts'

const system = on('For the whole machine, instead of your account')
export const serviceFlags = { system }
export const installServiceFlags = {
  system,
  user: text('NAME', 'With --system: the account that the server and its agents run as'),
  print: on('Print the file without writing it'),
}
export const serviceLogFlags = { system, follow: on('Keep following new output') }
export const uninstallServiceFlags = { system, yes: on('End running agents without asking') }

export const upgradeFlags = { yes: on('Install and restart without asking') }
export const uninstallFlags = {
  data: on('Also delete the data directory'),
  yes: on('Do it without asking'),
}

const load = () => import('../commands/service.ts')

export const serviceCommands = [
  family({
    name: 'service',
    summary: 'Keep the server running: a service of systemd or launchd',
    group: 'Run the server',
    more: 'Agents and terminals keep running while the service restarts. See docs/install.md.',
    examples: ['signalbox service install', 'signalbox service logs --follow'],
    children: [
      command({
        name: 'install',
        summary: 'Install and start the service',
        flags: installServiceFlags,
        examples: ['signalbox service install', 'sudo signalbox service install --system --user signalbox'],
        load: async () => (await load()).installService,
      }),
      command({
        name: 'status',
        summary: 'Whether the service is running',
        flags: serviceFlags,
        examples: ['signalbox service status', 'signalbox service status --json'],
        load: async () => (await load()).serviceStatus,
      }),
      command({
        name: 'logs',
        summary: 'Output of the server',
        flags: serviceLogFlags,
        examples: ['signalbox service logs', 'signalbox service logs --follow'],
        load: async () => (await load()).serviceLogs,
      }),
      command({
        name: 'uninstall',
        summary: 'Stop the server and its agents and remove the service; data stays',
        flags: uninstallServiceFlags,
        examples: ['signalbox service uninstall', 'signalbox service uninstall --yes'],
        load: async () => (await load()).uninstallService,
      }),
    ],
  }),
  command({
    name: 'upgrade',
    summary: 'Install another version with npm, and restart the server with it',
    group: 'Run the server',
    args: [{ name: 'PACKAGE', optional: true }],
    flags: upgradeFlags,
    more: 'PACKAGE is a packed file or a version such as signalbox@1.2.0. Agents keep running; the database is backed up before it is migrated.',
    examples: ['signalbox upgrade', 'signalbox upgrade ./signalbox-0.2.0.tgz --yes'],
    load: async () => (await import('../commands/upgrade.ts')).upgrade,
  }),
  command({
    name: 'uninstall',
    summary: 'Stop everything and remove the service; with --data also the data',
    group: 'Run the server',
    flags: uninstallFlags,
    examples: ['signalbox uninstall', 'signalbox uninstall --data --yes'],
    load: async () => (await import('../commands/uninstall.ts')).uninstall,
  }),
]
