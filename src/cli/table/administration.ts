import { command, family } from '../command.ts'

const group = { name: 'GROUP' }

export const administrationCommands = [
  family({
    name: 'credentials',
    summary: 'Credentials that requests of an agent group get; their values are never shown',
    group: 'Chats',
    more: 'Agents ask for them with request_credential; an admin gives the value with the answer.',
    examples: ['signalbox credentials list helpers', 'signalbox credentials revoke helpers 0199c2d4'],
    children: [
      command({
        name: 'list',
        summary: 'Credentials of an agent group, without their values',
        args: [group],
        examples: ['signalbox credentials list helpers', 'signalbox credentials list helpers --json'],
        load: async () => (await import('../commands/credentials.ts')).listCredentials,
      }),
      command({
        name: 'revoke',
        summary: 'Revoke a credential and delete its value',
        args: [group, { name: 'CREDENTIAL' }],
        examples: ['signalbox credentials revoke helpers 0199c2d4', 'signalbox credentials revoke helpers TOKEN'],
        load: async () => (await import('../commands/credentials.ts')).revokeCredential,
      }),
    ],
  }),
]
