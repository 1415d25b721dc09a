import type { Platform } from '../adapter.ts'
import { checkTelegram, telegramFields } from './check.ts'
import { connectTelegram } from './connect.ts'
import { mostButtons, mostText, renderTelegram } from './render.ts'
import { telegramRoute } from './webhook.ts'

export const telegram: Platform = {
  name: 'telegram',
  title: 'Telegram',
  idPrefix: 'tg',
  ids: 'global',
  // Telegram has no keys for messages, and bots have no history. In supergroups a message in doubt can be looked for
  // (`find.ts`); in direct chats and small groups it cannot, so it may arrive twice.
  delivery: 'at_least_once',
  oneAtATimePer: 'chat',
  opensThreads: false,
  limits: { text: mostText, buttons: mostButtons, fileBytes: 50_000_000 },
  steps: [
    'Write /newbot to @BotFather in Telegram, and follow its questions.',
    'For groups: write /setprivacy to @BotFather and choose Disable, so that the bot can read messages there.',
  ],
  fields: telegramFields,
  defaultEndpoints: { api: 'https://api.telegram.org' },
  check: checkTelegram,
  connect: connectTelegram,
  render: renderTelegram,
  routes: [telegramRoute],
}
