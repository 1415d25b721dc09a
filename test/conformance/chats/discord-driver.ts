import '../../support/chats/loopback-guard.ts'
import { openDiscord } from '../../support/chats/discord.ts'
import { until } from '../../support/until.ts'
import { troubles, type ChatDriver, type Shown } from './driver.ts'

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
        sends(text, files, under) {
          const { id } = person.writes(under ?? chat, `<@${discord.guild.bot.id}> ${text}`, { files })
          return under ?? id
        },
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
        async picks(label) {
          const find = () => pressed.findLast(({ seen }) => JSON.stringify(seen).includes('custom_id'))
          const last = await until(find, { what: `a button ${label}` })
          pressed.push(person.picks(last, label).interaction)
        },
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
    trouble(channel, how) {
      const healed = Promise.withResolvers<void>()
      let isOver = false
      const isIn = (id = '') => id === channel || discord.guild.channels.get(id)?.parent_id === channel
      const test = (call: string) => !isOver && isIn(/^(?:POST|PATCH) \/channels\/(\d+)\/messages/.exec(call)?.[1])
      discord.fail({
        call: { test },
        times: Infinity,
        ...troubles(healed.promise, { status: 429, retryAfter: 1 })[how],
      })
      return () => {
        isOver = true
        healed.resolve()
      }
    },
    async answerLate(released) {
      const before = discord.callsOf(posting).length
      discord.fail({ call: posting, hold: released })
      await until(() => discord.callsOf(posting).length > before, { what: 'a message', seconds: 60 })
    },
    unacknowledged: () => discord.gateway.unacknowledged(),
    loseAcknowledgements: () => discord.gateway.loseAcknowledgements(),
    drop: () => discord.gateway.drop(),
    fileContents: () => discord.calls.flatMap(({ files }) => files.map(({ bytes }) => bytes.toString())),
    reactions: () =>
      [...discord.guild.channels.values()].flatMap(({ id }) => discord.messages(id)).flatMap((one) => one.reactions),
    fetches: () => discord.calls.filter(({ call }) => /^GET .*\/attachments\//.test(call)).length,
    sends: () => discord.callsOf(posting).length,
    directsOpened: () => discord.callsOf(/^POST \/users\/@me\/channels$/).length,
    [Symbol.asyncDispose]: () => discord[Symbol.asyncDispose](),
  }
}
