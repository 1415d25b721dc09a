import { systemClock } from '../../../lib/clock.ts'
import type { Checked, CredentialField, Credentials, Endpoints } from '../adapter.ts'
import { botIdOf, createBotApi } from './bot-api.ts'
import { Me } from './frames.ts'

export const telegramFields: readonly CredentialField[] = [
  {
    name: 'bot_token',
    label: 'Bot token',
    secret: true,
    required: true,
    hint: 'From @BotFather in Telegram: /newbot, or /token for a bot that you have. Looks like 123456789:AAE…',
  },
  {
    name: 'webhook_secret',
    label: 'Webhook secret',
    secret: true,
    required: false,
    hint: 'Only for messages over HTTP instead of long polling. Choose 1 to 256 letters, digits, _ and -.',
  },
  {
    name: 'webhook_url',
    label: 'Public address of this server',
    secret: false,
    required: false,
    hint: 'With a webhook secret: where Telegram reaches this server, for example https://signalbox.example.com.',
  },
]

const refuse = (message: string, hint: string): Checked => ({ ok: false, message, hint, missing: [] })

const privacyMode =
  'Privacy mode is on. In groups the bot only sees commands, mentions and replies to it. To change this: ' +
  '@BotFather, /setprivacy, Disable, then remove the bot from the group and add it again.'
const noAddress =
  'There is a webhook secret, but no public address. Telegram sends nothing until you set the webhook yourself.'

/** Asks Telegram who we are. Sends nothing that people see. */
export async function checkTelegram(credentials: Credentials, { api }: Endpoints, stop: AbortSignal): Promise<Checked> {
  const { bot_token: token = '', webhook_secret: secret = '', webhook_url: address = '' } = credentials
  if (botIdOf(token) === null)
    return refuse('This is not a bot token.', 'Copy the token from @BotFather. It looks like 123456789:AAE…')
  if (secret !== '' && !/^[A-Za-z0-9_-]{1,256}$/.test(secret))
    return refuse('The webhook secret has characters that are not allowed.', 'Use 1 to 256 letters, digits, _ and -.')
  if (address !== '' && secret === '')
    return refuse('A public address needs a webhook secret.', 'Add one, or leave the address out to use long polling.')
  if (address !== '' && !isPublicAddress(address))
    return refuse('The public address is not valid.', 'Enter an address that starts with https://, without ? and #.')

  const who = await createBotApi({ api, token, clock: systemClock }).call('getMe', {}, Me, stop)
  if (who.kind === 'refused')
    return refuse('Telegram does not accept the bot token.', 'Copy it again from @BotFather: /token.')
  if (who.kind === 'permanent') return refuse(`Telegram refused the bot token: ${who.error}.`, 'Copy it again.')
  if (who.kind !== 'answered')
    return refuse(`Telegram can't be reached: ${who.error}.`, 'Check the network of this machine, then try again.')
  const { id, username, can_read_all_group_messages: readsAll } = who.value
  const warnings = [
    ...(readsAll === false ? [privacyMode] : []),
    ...(secret !== '' && address === '' ? [noAddress] : []),
  ]
  return { ok: true, self: { handle: String(id), name: username, workspace: null }, warnings }
}

function isPublicAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, search, hash, username } = new URL(address)
  return protocol === 'https:' && search === '' && hash === '' && username === ''
}
