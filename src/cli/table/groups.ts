import { command, family, list, on, oneOf, text } from '../command.ts'

const groupSettings = {
  agent: text('AGENT', 'The agent that answers: see signalbox agents'),
  model: text('MODEL', 'Model'),
  repo: text('REPO', 'The repo it works in'),
  workspace: text('DIR', 'The directory it works in, instead of a repo'),
  provider: text('NAME', 'Provider'),
}
const isolations = ['none', 'sandbox', 'container', 'default'] as const

export const createGroupFlags = {
  ...groupSettings,
  isolation: oneOf('HOW', 'Where its sessions run', isolations),
  folder: text('NAME', 'The name of its folder (default: from NAME)'),
}
export const updateGroupFlags = { ...groupSettings, name: text('NAME', 'New name') }

export const configFlags = {
  agent: text('AGENT', 'The agent that runs, before the one of the group (provider)'),
  model: text('MODEL', 'Model'),
  effort: text('EFFORT', 'How much the model thinks, in the words of the agent'),
  'assistant-name': text('NAME', 'What the agent is called'),
  'max-messages': text('N', 'Maximum messages of a chat in one prompt'),
  skills: text('NAMES', 'The skills that it sees, or all'),
  isolation: oneOf('HOW', 'Where its sessions run', isolations),
  'cli-scope': oneOf('SCOPE', 'What its agents can read with the command line', ['disabled', 'group', 'global']),
  image: text('IMAGE', 'An image of your own for its containers'),
  apt: text('PACKAGES', 'Debian packages in its containers'),
  npm: text('PACKAGES', 'npm packages in its containers'),
  mounts: text('DIRS', 'Directories of this machine in its containers, read-only; DIR:rw to write'),
  hosts: text('HOSTS', 'Hosts that its containers reach'),
  providers: text('NAMES', 'Providers of the configuration that its containers reach'),
  memory: text('MIB', 'Memory of a container'),
  cpus: text('N', 'CPUs of a container'),
  pids: text('N', 'Processes of a container'),
  disk: text('MIB', 'How much a container can write'),
  budget: text('USD', 'What all its sessions may cost in a period before they pause and ask'),
  period: oneOf('PERIOD', 'The period of the budget', ['day', 'month', 'total']),
  set: list('FIELD=JSON', 'Any field, such as mcpServers or additionalMounts; can be repeated'),
}
export const instructionFlags = { file: text('FILE', 'Replace them with the text of this file; - for standard input') }
export const exportFlags = {
  output: text('FILE', 'Write to this file; .json is JSON, everything else TOML'),
  format: oneOf('FORMAT', 'Format of the output (toml)', ['toml', 'json']),
}
export const importGroupFlags = { 'dry-run': on('Only show what would change') }
export const removeGroupFlags = { yes: on('Skip the confirmation') }

const group = { name: 'GROUP' }
const groups = () => import('../commands/agent-groups.ts')
const config = () => import('../commands/group-config.ts')
const files = () => import('../commands/group-files.ts')

/** Agent groups. */
export const groupCommands = [
  family({
    name: 'groups',
    summary: 'Agent groups: agents that people write to in chats',
    group: 'Chats',
    alone: 'list',
    more: 'GROUP is an id or the start of one, a name or a folder.',
    examples: ['signalbox groups create helpers --agent claude --repo shop', 'signalbox groups members helpers'],
    children: [
      command({
        name: 'list',
        summary: 'Agent groups that you belong to; all of them for admins (the default)',
        examples: ['signalbox groups', 'signalbox groups --json'],
        load: async () => (await groups()).listGroups,
      }),
      command({
        name: 'create',
        summary: 'Create an agent group',
        args: [{ name: 'NAME' }],
        flags: createGroupFlags,
        examples: [
          'signalbox groups create helpers --repo shop --isolation container',
          'signalbox groups create Ops --agent claude --json',
        ],
        load: async () => (await groups()).createGroup,
      }),
      command({
        name: 'show',
        summary: 'An agent group',
        args: [group],
        examples: ['signalbox groups show helpers', 'signalbox groups show helpers --json'],
        load: async () => (await groups()).showGroup,
      }),
      command({
        name: 'update',
        summary: 'Change an agent group',
        args: [group],
        flags: updateGroupFlags,
        examples: ['signalbox groups update helpers --agent claude', 'signalbox groups update helpers --name Helpers'],
        load: async () => (await groups()).updateGroup,
      }),
      command({
        name: 'config',
        summary: 'How an agent group runs, and change it',
        args: [group],
        flags: configFlags,
        more: 'Without options it is shown. A value "none" clears a setting; lists are comma-separated.',
        examples: [
          'signalbox groups config helpers',
          'signalbox groups config helpers --model opus --apt jq,ripgrep --isolation container',
        ],
        load: async () => (await config()).configureGroup,
      }),
      command({
        name: 'instructions',
        summary: 'What the agents of a group are told, and change it',
        args: [group],
        flags: instructionFlags,
        examples: ['signalbox groups instructions helpers', 'signalbox groups instructions helpers --file AGENTS.md'],
        load: async () => (await config()).groupInstructions,
      }),
      command({
        name: 'export',
        summary: 'Print an agent group as a file that can be kept in Git, without ids and secrets',
        args: [group],
        flags: exportFlags,
        examples: ['signalbox groups export helpers', 'signalbox groups export helpers --output helpers.toml'],
        load: async () => (await files()).exportGroup,
      }),
      command({
        name: 'import',
        summary: 'Create or change an agent group so that it is as in a file',
        args: [{ name: 'FILE' }],
        flags: importGroupFlags,
        examples: ['signalbox groups import helpers.toml --dry-run', 'signalbox groups import helpers.toml'],
        load: async () => (await files()).importGroup,
      }),
      command({
        name: 'remove',
        summary: 'Remove an agent group with its wirings and destinations; its sessions and its folder stay',
        args: [group],
        flags: removeGroupFlags,
        examples: ['signalbox groups remove helpers', 'signalbox groups remove 0199c2d4 --yes'],
        load: async () => (await groups()).removeGroup,
      }),
      command({
        name: 'members',
        summary: 'Who may write to an agent group',
        args: [group],
        examples: ['signalbox groups members helpers', 'signalbox groups members helpers --json'],
        load: async () => (await groups()).listMembers,
      }),
      command({
        name: 'add-member',
        summary: 'Let a person write to an agent group',
        args: [group, { name: 'USER' }],
        examples: ['signalbox groups add-member helpers ann', 'signalbox groups add-member helpers slack:U123'],
        load: async () => (await groups()).addMember,
      }),
      command({
        name: 'remove-member',
        summary: 'Remove a member from an agent group',
        args: [group, { name: 'USER' }],
        examples: ['signalbox groups remove-member helpers ann', 'signalbox groups remove-member helpers slack:U123'],
        load: async () => (await groups()).removeMember,
      }),
    ],
  }),
]
