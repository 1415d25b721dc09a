import type { Platform } from '../adapter.ts'
import { checkDiscord, discordFields } from './check.ts'
import { connectDiscord } from './connect.ts'
import { discordRoute } from './http-interactions.ts'
import { mostButtons, mostFileBytes, mostText, renderDiscord } from './render.ts'

export const discord: Platform = {
  name: 'discord',
  title: 'Discord',
  idPrefix: 'discord',
  ids: 'global',
  // Every message has a nonce, and the history shows what arrived.
  delivery: 'once',
  oneAtATimePer: 'thread',
  opensThreads: true,
  limits: { text: mostText, buttons: mostButtons, fileBytes: mostFileBytes },
  steps: [
    'Open https://discord.com/developers/applications and choose New Application.',
    'Under Bot, turn on Message Content Intent, and reset the token to see it.',
    'Under Installation, add the bot to your server.',
  ],
  fields: discordFields,
  defaultEndpoints: { api: 'https://discord.com/api/v10/' },
  check: checkDiscord,
  connect: connectDiscord,
  render: renderDiscord,
  routes: [discordRoute],
}
