import * as z from 'zod'
import { systemClock } from '../../../lib/clock.ts'
import type { Checked, CredentialField, Credentials, Endpoints, Failure } from '../adapter.ts'
import { createRest, type Request } from './rest.ts'
import { Snowflake } from './snowflake.ts'

export const discordFields: readonly CredentialField[] = [
  {
    name: 'bot_token',
    label: 'Bot token',
    secret: true,
    required: true,
    hint: 'In the Discord developer portal, your application: Bot, Reset Token.',
  },
  {
    name: 'public_key',
    label: 'Public key',
    secret: false,
    required: false,
    hint: 'Only if Discord sends clicks and commands over HTTP. In your application: General Information, Public Key.',
  },
]

export const Self = z.looseObject({ id: Snowflake, username: z.string().default('signalbox') })
export const Application = z.looseObject({
  id: Snowflake,
  flags: z.int().nullish(),
  verify_key: z.string().nullish(),
  interactions_endpoint_url: z.string().nullish(),
})
const Guilds = z.array(z.looseObject({ name: z.string() }))

export const whoRequest: Request = { what: 'asking who we are', method: 'GET', path: 'users/@me' }
export const appRequest: Request = { what: 'reading the application', method: 'GET', path: 'applications/@me' }
const guildsRequest: Request = { what: 'reading the servers', method: 'GET', path: 'users/@me/guilds?limit=2' }

/** The Message Content intent, for bots in many servers and for all others. */
const readsMessages = (1 << 18) | (1 << 19)
const messageContent = 'Message Content'

const refuse = (message: string, hint: string, missing: readonly string[] = []): Checked => ({
  ok: false,
  message,
  hint,
  missing,
})

/** Asks Discord who we are and what the bot may read. Sends nothing that people see. */
export async function checkDiscord(credentials: Credentials, { api }: Endpoints, stop: AbortSignal): Promise<Checked> {
  const { bot_token: token = '', public_key: publicKey = '' } = credentials
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    return refuse('This is not a bot token.', 'Copy the token under Bot. It has three parts with dots in between.')
  if (publicKey !== '' && !/^[0-9a-f]{64}$/i.test(publicKey))
    return refuse('This is not a public key.', 'Copy the Public Key under General Information: 64 letters and digits.')

  const rest = createRest({ api, token, clock: systemClock })
  const who = await rest.call(whoRequest, Self, stop)
  if (who.kind !== 'answered') return refusedBy(who)
  const app = await rest.call(appRequest, Application, stop)
  if (app.kind !== 'answered') return refusedBy(app)
  const { flags, verify_key: key, interactions_endpoint_url: endpoint } = app.value
  if (typeof flags === 'number' && (flags & readsMessages) === 0)
    return refuse(
      `The ${messageContent} intent is turned off, so the bot cannot read messages.`,
      'In the Discord developer portal, your application: Bot, Privileged Gateway Intents, Message Content Intent.',
      [messageContent],
    )
  if (publicKey !== '' && key && key.toLowerCase() !== publicKey.toLowerCase())
    return refuse('The public key belongs to another application.', 'Copy it from the application of this bot.')
  if (endpoint && publicKey === '')
    return refuse(
      'Discord sends clicks and commands over HTTP, but there is no public key to check them.',
      'Enter the public key, or clear the Interactions Endpoint URL under General Information.',
    )
  const guilds = await rest.call(guildsRequest, Guilds, stop)
  const names = guilds.kind === 'answered' ? guilds.value.map(({ name }) => name) : null
  const warnings = [
    ...(typeof flags === 'number' ? [] : [`Discord did not say whether the ${messageContent} intent is turned on.`]),
    ...(names?.length === 0 ? ['The bot is not in a server yet. Invite it first.'] : []),
  ]
  const workspace = names?.length === 1 ? (names[0] ?? null) : null
  return { ok: true, self: { handle: who.value.id, name: who.value.username, workspace }, warnings }
}

function refusedBy({ kind, error }: Failure): Checked {
  if (kind === 'refused')
    return refuse(
      'Discord does not accept the bot token.',
      'Copy it again under Bot. A token is shown once; Reset Token makes a new one.',
    )
  if (kind === 'permanent' || kind === 'gone')
    return refuse(`Discord refused to answer: ${error}.`, 'Check the settings of your application.')
  return refuse(`Discord can't be reached: ${error}.`, 'Check the network of this machine, then try again.')
}
