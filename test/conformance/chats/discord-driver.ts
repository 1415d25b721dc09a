import '../../support/chats/loopback-guard.ts'
import { openDiscord } from '../../support/chats/discord.ts'
import { until } from '../../support/until.ts'
import type { ChatDriver, Shown } from './driver.ts'

const posting = /^POST \/channels\/\d+\/messages$/

/** Each conversation is a thread under the message that began it, and has its id. */
export async function openDiscordDriver(): Promise<ChatDriver> {
  const discord = await openDiscord()
  const chat = discord.channel('ops')
  return {
    platform: 'discord',
    credentials: { bot_token: discord.token, public_key: discord.publicKey },
    settings: discord.endpoints,
    chat,
    person(name) {
      const person = discord.person(name)
      const pressed: ReturnType<typeof person.clicks>['interaction'][] = []
      const write = (text: string, under?: string) => {
        const { id } = person.writes(under ?? chat, text)
        return under ?? id
      }
      return {
        name,
        identity: `discord:${person.id}`,
        mentions: (text, under) => write(`<@${discord.guild.bot.id}> ${text}`, under),
        says: write,
        clicks(message, label) {
          const { action = '' } = message.buttons.find((one) => one.label === label) ?? {}
          const [channel = ''] = action.split(' ')
          pressed.push(person.clicks(channel, message.id, label).interaction)
        },
        commands: (text) => void pressed.push(person.commands(chat, text).interaction),
        toldPrivately: () => [
          ...pressed.flatMap(({ seen }) => seen.map((one) => JSON.stringify(one))),
          ...discord.messages(person.direct()).map(({ content }) => content),
        ],
      }
    },
    posted: (root) =>
      discord
        .messages(root)
        .filter(({ author }) => author.id === discord.guild.bot.id)
        .map((message): Shown => {
          const buttons = (message.components ?? []).flatMap((row) => row.components ?? [])
          return {
            id: message.id,
            text: `${message.content}\n${JSON.stringify(message.embeds ?? [])}`,
            buttons: buttons.map(({ label = '', custom_id: id = '' }) => ({ label, action: `${root} ${id}` })),
            files: (message.attachments ?? []).map(({ filename }) => filename),
          }
        }),
    fail(how, times) {
      discord.fail({ call: posting, times, ...(how === 'wait' ? { status: 429, retryAfter: 1 } : { drop: 'after' }) })
    },
    async answerLate(released) {
      const before = discord.callsOf(posting).length
      discord.fail({ call: posting, hold: released })
      await until(() => discord.callsOf(posting).length > before, { what: 'a message', seconds: 60 })
    },
    drop: () => discord.gateway.drop(),
    sends: () => discord.callsOf(posting).length,
    [Symbol.asyncDispose]: () => discord[Symbol.asyncDispose](),
  }
}
