import '../../support/chats/loopback-guard.ts'
import { openDiscord } from '../../support/chats/discord.ts'
import { until } from '../../support/until.ts'
import type { ChatDriver, Shown } from './driver.ts'

const posting = /^POST \/channels\/\d+\/messages$/

/** Each conversation is a thread under the message that began it, and has its id. */
export async function openDiscordDriver(): Promise<ChatDriver> {
  const discord = await openDiscord()
  const chat = discord.channel('ops')
  const shownIn = (channel: string): Shown[] =>
    discord
      .messages(channel)
      .filter(({ author }) => author.id === discord.guild.bot.id)
      .map((message): Shown => {
        const buttons = (message.components ?? []).flatMap((row) => row.components ?? [])
        return {
          id: message.id,
          chat: channel,
          text: `${message.content}\n${JSON.stringify(message.embeds ?? [])}`,
          buttons: buttons.map(({ label = '', custom_id: action = '' }) => ({ label, action })),
          files: (message.attachments ?? []).map(({ filename }) => filename),
        }
      })
  return {
    platform: 'discord',
    credentials: { bot_token: discord.token, public_key: discord.publicKey },
    settings: discord.endpoints,
    chat,
    person(name) {
      const person = discord.person(name)
      const pressed: ReturnType<typeof person.clicks>['interaction'][] = []
      const write = (text: string, under?: string, to = chat) => {
        const { id } = person.writes(under ?? to, text)
        return under ?? id
      }
      return {
        name,
        identity: `discord:${person.id}`,
        mentions: (text, under, to) => write(`<@${discord.guild.bot.id}> ${text}`, under, to),
        saysUnheard: (text, under) =>
          void discord.guild.add({
            channel_id: under,
            author: person.user,
            content: text,
            mentions: [],
            attachments: [],
          }),
        says: write,
        clicks(message, label) {
          pressed.push(person.clicks(message.chat, message.id, label).interaction)
        },
        async fills(text) {
          const isForm = ({ response }: (typeof pressed)[number]) => response?.type === 9
          const form = await until(() => [pressed.at(-1)].find((one) => one && isForm(one)), { what: 'a form' })
          pressed.push(person.submits(form, text).interaction)
        },
        commands: (text) => void pressed.push(person.commands(chat, text).interaction),
        toldPrivately: () => [
          ...pressed.flatMap(({ seen }) => seen.map((one) => JSON.stringify(one))),
          ...discord.messages(person.direct()).map(({ content }) => content),
        ],
        direct: () => shownIn(person.direct()),
      }
    },
    another: (name) => discord.channel(name),
    posted: shownIn,
    inChat: () => shownIn(chat),
    revoke: () => void discord.revoked.add(discord.token),
    renew: () => ({ bot_token: discord.renew(), public_key: discord.publicKey }),
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
    directsOpened: () => discord.callsOf(/^POST \/users\/@me\/channels$/).length,
    [Symbol.asyncDispose]: () => discord[Symbol.asyncDispose](),
  }
}
