import { command, family, on, oneOf, text } from '../command.ts'

export const createUserFlags = { identity: text('IDENTITY', 'Link it at once: slack:U…, email:…, tg:…') }
export const roleFlags = { group: text('GROUP', 'Only for an agent group; without it the role is global') }
export const tokenListFlags = { all: on('All tokens (admins)') }
export const tokenScopes = ['full', 'read', 'agent']
export const createTokenFlags = {
  name: text('NAME', 'Purpose'),
  scope: oneOf(
    'SCOPE',
    'Permissions: read only, all of yours (full), or those of an agent (default: read)',
    tokenScopes,
  ),
  session: text('ID', 'Tie an agent token to one session'),
  expires: text('TIME', 'When it expires: 12h, a date, or never (default: 90d)'),
}

const people = 'People and access'
const user = { name: 'USER' }
const identity = { name: 'IDENTITY' }
const role = { name: 'ROLE', values: ['owner', 'admin', 'machine'], eitherWay: true as const }
const users = () => import('../commands/users.ts')
const identities = () => import('../commands/identities.ts')
const tokens = () => import('../commands/tokens.ts')

export const peopleCommands = [
  family({
    name: 'users',
    summary: 'List, add, rename or remove people and link their identities',
    group: people,
    alone: 'list',
    more: 'USER is an id or the start of one, a name, an identity such as slack:U123, or me.',
    examples: ['signalbox users create "Ann Example" --identity email:ann@example.org', 'signalbox users show me'],
    children: [
      command({
        name: 'list',
        summary: 'All people (the default)',
        examples: ['signalbox users', 'signalbox users --json'],
        load: async () => (await users()).listUsers,
      }),
      command({
        name: 'show',
        summary: 'One person with identities, roles and memberships',
        args: [user],
        examples: ['signalbox users show me', 'signalbox users show email:ann@example.org'],
        load: async () => (await users()).showUser,
      }),
      command({
        name: 'create',
        summary: 'Add a person',
        args: [{ name: 'NAME' }],
        flags: createUserFlags,
        examples: ['signalbox users create "Ann Example"', 'signalbox users create Ann --identity slack:U123'],
        load: async () => (await users()).createUser,
      }),
      command({
        name: 'rename',
        summary: 'Rename a person',
        args: [user, { name: 'NAME' }],
        examples: ['signalbox users rename ann "Ann Example"', 'signalbox users rename me Ann'],
        load: async () => (await users()).renameUser,
      }),
      command({
        name: 'remove',
        summary: 'Remove a person: their roles, identities, tokens and logins end',
        args: [user],
        examples: ['signalbox users remove ann', 'signalbox users remove 0199c2d4'],
        load: async () => (await users()).removeUser,
      }),
      command({
        name: 'link',
        summary: 'Link an identity to a person',
        args: [user, identity],
        examples: ['signalbox users link ann slack:U123', 'signalbox users link me email:ann@example.org'],
        load: async () => (await identities()).linkIdentity,
      }),
      command({
        name: 'unlink',
        summary: 'Unlink an identity',
        args: [user, identity],
        examples: ['signalbox users unlink ann slack:U123', 'signalbox users unlink me tg:4711'],
        load: async () => (await identities()).unlinkIdentity,
      }),
      command({
        name: 'link-code',
        summary: 'A one-time code that links an identity to you',
        examples: ['signalbox users link-code', 'signalbox users link-code --json'],
        load: async () => (await identities()).createLinkCode,
      }),
      command({
        name: 'claim',
        summary: 'Redeem a link code for an identity',
        args: [identity, { name: 'CODE' }],
        examples: ['signalbox users claim slack:U123 CODE', 'signalbox users claim tg:4711 CODE --json'],
        load: async () => (await identities()).claimIdentity,
      }),
    ],
  }),
  family({
    name: 'roles',
    summary: 'Grant and revoke roles',
    group: people,
    more: "machine: can run programs as the server's user, and work outside registered repos.",
    examples: ['signalbox roles grant admin ann', 'signalbox roles grant machine ann'],
    children: [
      command({
        name: 'grant',
        summary: 'Grant a role to a person',
        args: [user, role],
        flags: roleFlags,
        examples: ['signalbox roles grant ann admin', 'signalbox roles grant machine ann'],
        load: async () => (await import('../commands/roles.ts')).grantRole,
      }),
      command({
        name: 'revoke',
        summary: 'Revoke a role',
        args: [user, role],
        flags: roleFlags,
        examples: ['signalbox roles revoke ann admin', 'signalbox roles revoke machine ann --json'],
        load: async () => (await import('../commands/roles.ts')).revokeRole,
      }),
    ],
  }),
  family({
    name: 'tokens',
    summary: 'Tokens for programs and agents',
    group: people,
    alone: 'list',
    examples: ['signalbox tokens create --name ci --scope read --expires 90d', 'signalbox tokens revoke ci'],
    children: [
      command({
        name: 'list',
        summary: 'Your tokens, never their secrets (the default)',
        flags: tokenListFlags,
        examples: ['signalbox tokens', 'signalbox tokens list --all'],
        load: async () => (await tokens()).listTokens,
      }),
      command({
        name: 'create',
        summary: 'Create a token; its secret is shown only once',
        flags: createTokenFlags,
        examples: [
          'signalbox tokens create --name ci --scope full --expires 30d --json',
          'signalbox tokens create --name bot --scope agent --expires 90d',
        ],
        load: async () => (await tokens()).createToken,
      }),
      command({
        name: 'revoke',
        summary: 'Revoke a token immediately',
        args: [{ name: 'ID', of: 'token' }],
        examples: ['signalbox tokens revoke 0199c2d4', 'signalbox tokens revoke ci'],
        load: async () => (await tokens()).revokeToken,
      }),
    ],
  }),
]
