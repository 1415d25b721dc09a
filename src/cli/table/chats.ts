import { command, family, list, number, on, oneOf, text } from '../command.ts'

const unknownSenders = ['strict', 'request_approval', 'public']
const unknownAbout = 'Messages from unknown people: drop, hold until an admin approves, or deliver'
export const addChatFlags = {
  platform: text('PLATFORM', 'slack, telegram, discord, …'),
  name: text('NAME', 'Name in Signalbox'),
  group: on('It is a group chat'),
  instance: text('INSTANCE', 'The account that is in this chat'),
  unknown: oneOf('POLICY', unknownAbout, unknownSenders),
}
export const updateChatFlags = {
  name: text('NAME', 'Name in Signalbox'),
  unknown: oneOf('POLICY', unknownAbout, unknownSenders),
}
export const wireFlags = {
  engage: oneOf('WHEN', 'What the agent answers to: a mention, all after a mention, or a pattern', [
    'mention',
    'mention-sticky',
    'pattern',
  ]),
  pattern: text('REGEX', 'Regular expression for --engage pattern; . matches everything'),
  session: oneOf('MODE', 'One session per chat, per thread, or for all chats of the group', [
    'shared',
    'per-thread',
    'agent-shared',
  ]),
  from: oneOf('WHO', 'Who it answers: everyone who may write there, or only members', ['all', 'known']),
  ignored: oneOf('POLICY', 'Other messages: dropped, or kept as context', ['drop', 'accumulate']),
  verbosity: oneOf('HOW', 'How much it says about its work', ['quiet', 'verbose']),
  priority: number('N', 'Higher priority gets messages first (default: 0)', -1000),
}
export const addDestinationFlags = {
  name: text('NAME', 'What the agent calls it (default: from the name of TARGET)'),
  agent: on('TARGET is an agent group, not a chat'),
}
const setting = list('NAME=VALUE', 'A setting, such as api or package; can be repeated')
export const addInstanceFlags = {
  name: text('NAME', 'Name in Signalbox (default: the name of the platform)'),
  title: text('TITLE', 'Title (default: the name of the workspace)'),
  credentials: text('FILE', 'File with credentials: NAME=VALUE lines or JSON; - for standard input'),
  setting,
  'no-check': on('Skip the check of the credentials'),
  'no-wait': on('Do not wait for the connection'),
}
export const updateInstanceFlags = {
  title: text('TITLE', 'New title'),
  credentials: text(
    'FILE',
    'Replace all credentials with those in this file: NAME=VALUE lines or JSON; - for standard input',
  ),
  setting,
  'no-check': addInstanceFlags['no-check'],
}
export const claimFlags = { yes: on('Skip the confirmation') }
export const destinationListFlags = { group: list('GROUP', 'Only of this agent group; can be repeated') }

const chats = 'Chats'
const group = { name: 'GROUP' }
const chat = { name: 'CHAT' }
const instance = { name: 'INSTANCE' }
const wirings = () => import('../commands/chats.ts')
const destinations = () => import('../commands/destinations.ts')
const instances = () => import('../commands/chat-instances.ts')
const codes = () => import('../commands/identities.ts')

export const chatCommands = [
  family({
    name: 'chat',
    summary: 'Connect Signalbox to Slack, Telegram and Discord',
    group: chats,
    alone: 'list',
    more: [
      'INSTANCE is one account of Signalbox on a platform: an id or the start of one, or its name.',
      'Credentials are never given as arguments. At a terminal they are asked for; programs use --credentials, or',
      'environment variables named after platform and field: SLACK_BOT_TOKEN, SLACK_APP_TOKEN.',
    ].join('\n'),
    examples: ['signalbox chat add slack', 'signalbox chat test general'],
    children: [
      command({
        name: 'list',
        summary: 'Accounts on chat platforms and whether they are connected (the default)',
        examples: ['signalbox chat', 'signalbox chat list --json'],
        load: async () => (await instances()).listInstances,
      }),
      command({
        name: 'platforms',
        summary: 'Platforms and the credentials each one needs',
        examples: ['signalbox chat platforms', 'signalbox chat platforms --json'],
        load: async () => (await instances()).listPlatforms,
      }),
      command({
        name: 'manifest',
        summary: 'Print the app manifest, to paste into the platform',
        args: [{ name: 'PLATFORM' }],
        examples: ['signalbox chat manifest slack', 'signalbox chat manifest slack > manifest.json'],
        load: async () => (await instances()).showManifest,
      }),
      command({
        name: 'add',
        summary: 'Add an account on a platform, step by step',
        args: [{ name: 'PLATFORM' }],
        flags: addInstanceFlags,
        examples: [
          'signalbox chat add slack',
          'signalbox chat add slack --credentials slack.env --json',
          'signalbox chat add teams --setting package=@chat-adapter/teams',
        ],
        load: async () => (await import('../commands/chat-setup.ts')).addInstance,
      }),
      command({
        name: 'show',
        summary: 'An account and whether it is connected',
        args: [instance],
        examples: ['signalbox chat show slack', 'signalbox chat show slack --json'],
        load: async () => (await instances()).showInstance,
      }),
      command({
        name: 'update',
        summary: 'Change the title or settings of an account, or replace its credentials',
        args: [instance],
        flags: updateInstanceFlags,
        examples: ['signalbox chat update slack --title "Example Ltd"', 'signalbox chat update slack --credentials -'],
        load: async () => (await import('../commands/chat-setup.ts')).updateInstance,
      }),
      command({
        name: 'check',
        summary: 'Ask the platform whether the credentials work',
        args: [instance],
        examples: ['signalbox chat check slack', 'signalbox chat check slack --json'],
        load: async () => (await instances()).checkInstance,
      }),
      command({
        name: 'start',
        summary: 'Connect an account',
        args: [instance],
        examples: ['signalbox chat start slack', 'signalbox chat start slack --json'],
        load: async () => (await instances()).startInstance,
      }),
      command({
        name: 'stop',
        summary: 'Disconnect an account until it is started again',
        args: [instance],
        examples: ['signalbox chat stop slack', 'signalbox chat stop slack --json'],
        load: async () => (await instances()).stopInstance,
      }),
      command({
        name: 'test',
        summary: 'Send a test message to a chat',
        args: [chat],
        examples: ['signalbox chat test general', 'signalbox chat test 0199c2d4'],
        load: async () => (await instances()).testChat,
      }),
      command({
        name: 'remove',
        summary: 'Disconnect an account and delete its credentials; its chats stay',
        args: [instance],
        examples: ['signalbox chat remove slack', 'signalbox chat remove 0199c2d4'],
        load: async () => (await instances()).removeInstance,
      }),
    ],
  }),
  family({
    name: 'chats',
    summary: 'Chats, and which agent groups listen there',
    group: chats,
    alone: 'list',
    more: 'CHAT is an id or the start of one, a name, or its id on the platform. GROUP is an agent group.',
    examples: ['signalbox chats wire general helpers', 'signalbox chats update general --unknown request_approval'],
    children: [
      command({
        name: 'list',
        summary: 'Chats and who listens there (the default)',
        examples: ['signalbox chats', 'signalbox chats --json'],
        load: async () => (await wirings()).listChats,
      }),
      command({
        name: 'show',
        summary: 'A chat with its wirings',
        args: [chat],
        examples: ['signalbox chats show general', 'signalbox chats show 0199c2d4 --json'],
        load: async () => (await wirings()).showChat,
      }),
      command({
        name: 'add',
        summary: 'Add a chat by its id on the platform; most are added when someone writes there',
        args: [{ name: 'PLATFORM_ID' }],
        flags: addChatFlags,
        examples: [
          'signalbox chats add C0123 --platform slack --name general --group',
          'signalbox chats add --platform telegram --instance telegram -- -1001234',
        ],
        load: async () => (await wirings()).addChat,
      }),
      command({
        name: 'update',
        summary: 'Rename a chat, or set what happens to messages from unknown people',
        args: [chat],
        flags: updateChatFlags,
        examples: ['signalbox chats update general --unknown public', 'signalbox chats update C0123 --name general'],
        load: async () => (await wirings()).updateChat,
      }),
      command({
        name: 'wire',
        summary: 'Let an agent group listen in a chat, or change how it does',
        args: [chat, group],
        flags: wireFlags,
        examples: [
          'signalbox chats wire general helpers',
          'signalbox chats wire general helpers --engage pattern --pattern "^!bot"',
        ],
        load: async () => (await wirings()).wireChat,
      }),
      command({
        name: 'unwire',
        summary: 'Stop an agent group from listening in a chat',
        args: [chat, group],
        examples: ['signalbox chats unwire general helpers', 'signalbox chats unwire 0199c2d4 helpers'],
        load: async () => (await wirings()).unwireChat,
      }),
      command({
        name: 'deny',
        summary: 'Ignore a chat until it is wired again',
        args: [chat],
        examples: ['signalbox chats deny random', 'signalbox chats deny 0199c2d4'],
        load: async () => (await wirings()).denyChat,
      }),
      command({
        name: 'remove',
        summary: 'Remove a chat with its wirings and destinations',
        args: [chat],
        examples: ['signalbox chats remove random', 'signalbox chats remove 0199c2d4'],
        load: async () => (await wirings()).removeChat,
      }),
    ],
  }),
  family({
    name: 'destinations',
    summary: 'Where agent groups can send messages',
    group: chats,
    alone: 'list',
    more: 'A wiring makes a destination automatically. TARGET is a chat, or with --agent an agent group.',
    examples: ['signalbox destinations add helpers general', 'signalbox destinations remove helpers general'],
    children: [
      command({
        name: 'list',
        summary: 'Destinations of the agent groups that you administer (the default)',
        flags: destinationListFlags,
        examples: ['signalbox destinations', 'signalbox destinations --group helpers'],
        load: async () => (await destinations()).listDestinations,
      }),
      command({
        name: 'add',
        summary: 'Let an agent group send messages to a chat or another agent group',
        args: [group, { name: 'TARGET' }],
        flags: addDestinationFlags,
        examples: [
          'signalbox destinations add helpers general --name team',
          'signalbox destinations add helpers ops --agent',
        ],
        load: async () => (await destinations()).addDestination,
      }),
      command({
        name: 'remove',
        summary: 'Remove a destination',
        args: [group, { name: 'NAME' }],
        examples: ['signalbox destinations remove helpers team', 'signalbox destinations remove helpers ops --json'],
        load: async () => (await destinations()).removeDestination,
      }),
    ],
  }),
  command({
    name: 'strangers',
    summary: 'Unknown people who wrote in chats',
    group: chats,
    examples: ['signalbox strangers', 'signalbox strangers --json'],
    load: async () => (await destinations()).listStrangers,
  }),
  family({
    name: 'identities',
    summary: 'Link your accounts in chats to you',
    group: chats,
    examples: ['signalbox identities claim K7QM-2XWD', 'signalbox identities code'],
    children: [
      command({
        name: 'claim',
        summary: 'Enter the code that you got in a chat with: /signalbox link',
        args: [{ name: 'CODE' }],
        flags: claimFlags,
        examples: ['signalbox identities claim K7QM-2XWD', 'signalbox identities claim K7QM-2XWD --yes --json'],
        load: async () => (await codes()).claimCode,
      }),
      command({
        name: 'code',
        summary: 'Get a code to write in a chat: /signalbox link CODE',
        examples: ['signalbox identities code', 'signalbox identities code --json'],
        load: async () => (await codes()).createLinkCode,
      }),
    ],
  }),
]
