import { command, family, on, oneOf } from '../command.ts'

export const permissionFlags = {
  strict: on('Deny if no server answers, or nobody decides in time'),
  all: on('With PreToolUse: also ask about read-only tools'),
}
export const installFlags = {
  scope: oneOf('SCOPE', 'Whose settings: user (the default), project (checked in), local (yours, in this project)', [
    'user',
    'project',
    'local',
  ]),
  every: on('Ask before every command and change, not only when Claude Code would ask'),
  strict: on('Deny if no server answers, or nobody decides in time'),
  print: on('Print the result without writing it'),
  remove: on('Remove the hooks'),
}

const handlers = () => import('../commands/hook.ts')
const settings = '~/.claude/settings.json'

/** Called by Claude Code: the event on standard input, the decision on standard output. */
export const hookCommands = [
  family({
    name: 'hook',
    summary: 'Connect Claude Code: install its hooks, and the commands they call',
    group: 'Work with agents',
    more: 'See docs/claude-code.md. If no server is running, they report it on standard error, and Claude Code asks as usual.',
    examples: ['signalbox hook install claude', 'signalbox hook install claude --print'],
    children: [
      command({
        name: 'install',
        summary: `Write the hooks into the settings of Claude Code (${settings}), keeping everything else`,
        args: [{ name: 'AGENT', values: ['claude'] }],
        flags: installFlags,
        examples: ['signalbox hook install claude', 'signalbox hook install claude --scope project --every'],
        load: async () => (await import('../commands/hook-install.ts')).installHooks,
      }),
      command({
        name: 'permission',
        summary: 'For PermissionRequest and PreToolUse: ask a person, wait, and return the decision',
        flags: permissionFlags,
        examples: ['signalbox hook permission', 'signalbox hook permission --strict'],
        load: async () => (await handlers()).permission,
      }),
      command({
        name: 'notification',
        summary: 'For Notification: show it in the session',
        examples: ['signalbox hook notification', 'signalbox hook notification --home /srv/signalbox'],
        load: async () => (await handlers()).notification,
      }),
      command({
        name: 'prompt',
        summary: 'For UserPromptSubmit: record what is typed at the terminal',
        examples: ['signalbox hook prompt', 'signalbox hook prompt --home /srv/signalbox'],
        load: async () => (await handlers()).prompt,
      }),
      command({
        name: 'stop',
        summary: 'For Stop: record what Claude said, and deliver queued messages',
        examples: ['signalbox hook stop', 'signalbox hook stop --home /srv/signalbox'],
        load: async () => (await handlers()).stop,
      }),
      command({
        name: 'end',
        summary: 'For SessionEnd: complete the session',
        examples: ['signalbox hook end', 'signalbox hook end --home /srv/signalbox'],
        load: async () => (await handlers()).end,
      }),
    ],
  }),
]
