import * as z from 'zod'
import type { Checked, CredentialField, Credentials, Endpoints, Failure } from '../adapter.ts'
import { appScopes, botScopes } from './manifest.ts'
import { createWebApi } from './web-api.ts'

export const slackFields: readonly CredentialField[] = [
  {
    name: 'bot_token',
    label: 'Bot token',
    secret: true,
    required: true,
    hint: 'Starts with xoxb-. In your app: OAuth & Permissions, Bot User OAuth Token.',
  },
  {
    name: 'app_token',
    label: 'App-level token',
    secret: true,
    required: false,
    hint: 'Starts with xapp-, for Socket Mode. In your app: Basic Information, App-Level Tokens, with the scope connections:write.',
  },
  {
    name: 'signing_secret',
    label: 'Signing secret',
    secret: true,
    required: false,
    hint: 'Only for events over HTTP instead of Socket Mode. In your app: Basic Information, Signing Secret.',
  },
]

export const AuthTest = z.looseObject({
  user_id: z.string(),
  user: z.string().default('signalbox'),
  bot_id: z.string().optional(),
  team: z.string().optional(),
  team_id: z.string(),
})
export const OpenedSocket = z.looseObject({ url: z.string() })

const refuse = (message: string, hint: string, missing: readonly string[] = []): Checked => ({
  ok: false,
  message,
  hint,
  missing,
})

/** Asks Slack who we are and what the tokens allow. Sends nothing that people see. */
export async function checkSlack(credentials: Credentials, { api }: Endpoints, stop: AbortSignal): Promise<Checked> {
  const { bot_token: botToken = '', app_token: appToken = '', signing_secret: signingSecret = '' } = credentials
  if (!botToken.startsWith('xoxb-'))
    return refuse('This is not a bot token.', 'Copy the Bot User OAuth Token, which starts with xoxb-.')
  if (appToken === '' && signingSecret === '')
    return refuse(
      'Slack cannot send messages to Signalbox.',
      'Enter an app-level token for Socket Mode, or a signing secret for events over HTTP.',
    )
  if (appToken !== '' && !appToken.startsWith('xapp-'))
    return refuse('This is not an app-level token.', 'Copy the token under App-Level Tokens, which starts with xapp-.')

  const who = await createWebApi({ api, token: botToken }).call('auth.test', {}, AuthTest, stop)
  if (who.kind !== 'answered') return refusedBy(who, 'bot token')
  const { user_id: handle, user: name, bot_id: botId, team = null, team_id: workspaceId } = who.value
  if (botId === undefined)
    return refuse('This token belongs to a person, not to a bot.', 'Copy the Bot User OAuth Token of your app.')
  const granted = new Set(who.scopes)
  const missing = who.scopes === null ? [] : botScopes.filter((scope) => !granted.has(scope))
  if (missing.length > 0)
    return refuse(
      `The bot token lacks ${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}.`,
      'Add them under OAuth & Permissions (or paste the manifest again), then reinstall the app and copy the new token.',
      missing,
    )
  if (appToken !== '') {
    // Only returns an address; the connection counts from when it is opened.
    const opened = await createWebApi({ api, token: appToken }).call('apps.connections.open', {}, OpenedSocket, stop)
    if (opened.kind !== 'answered') return refusedBy(opened, 'app-level token')
  }
  const warnings =
    who.scopes === null ? ['Slack did not say which scopes the token has, so they could not be checked.'] : []
  return { ok: true, self: { handle, name, workspace: team }, workspaceId, warnings }
}

function refusedBy({ kind, error }: Failure, what: string): Checked {
  if (kind === 'refused')
    return refuse(`Slack does not accept the ${what}.`, 'Copy it again. If the app was removed, install it again.')
  if (error.includes('missing_scope'))
    return refuse(
      `The ${what} lacks the scope ${appScopes[0]}.`,
      'Create an app-level token with this scope under Basic Information, App-Level Tokens.',
      appScopes,
    )
  if (kind === 'permanent') return refuse(`Slack refused the ${what}: ${error}.`, 'Check the settings of your app.')
  return refuse(`Slack can't be reached: ${error}.`, 'Check the network of this machine, then try again.')
}
