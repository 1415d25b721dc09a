import type { ChatDriver } from './driver.ts'
import { openDiscordDriver } from './discord-driver.ts'
import { openSlackDriver } from './slack-driver.ts'
import { openTelegramDriver } from './telegram-driver.ts'

/** Every platform that the journeys are walked on. */
export const chatDrivers: readonly (readonly [string, () => Promise<ChatDriver>])[] = [
  ['Slack', openSlackDriver],
  ['Telegram', openTelegramDriver],
  ['Discord', openDiscordDriver],
]
