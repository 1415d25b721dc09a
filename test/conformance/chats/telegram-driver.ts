import { openTelegram, type EmulatedTelegram } from '../../support/chats/telegram.ts'
import type { TelegramMessage } from '../../support/chats/telegram-world.ts'
import { until } from '../../support/until.ts'
import { troubles, type ChatDriver, type Shown } from './driver.ts'

/** A forum: each conversation is a topic of its own. */
export async function openTelegramDriver(): Promise<ChatDriver & { telegram: EmulatedTelegram }> {
  const telegram = await openTelegram()
  const chat = telegram.group('ops', 'supergroup', true)
  const shownOf = (message: TelegramMessage): Shown => {
    const buttons = message.reply_markup?.inline_keyboard.flat() ?? []
    return {
      id: String(message.message_id),
      chat: String(message.chat.id),
      text: `${message.text ?? message.caption ?? ''}\n`,
      buttons: buttons.map((one) => ({ label: one.text, action: one.callback_data })),
      files: message.document?.file_name === undefined ? [] : [message.document.file_name],
    }
  }
  return {
    telegram,
    platform: 'telegram',
    credentials: { bot_token: telegram.token },
    settings: telegram.endpoints,
    chat,
    person(name) {
      const person = telegram.person(name)
      const direct = person.direct()
      const clicks = new Set<string>()
      const write = (text: string, under?: string, to = chat) => {
        const topic = under ?? String(telegram.topic(to))
        person.writes(to, text, { thread: Number(topic) })
        return topic
      }
      return {
        name,
        identity: `tg:${person.handle}`,
        mentions: (text, under, to) => write(`@${telegram.world.self.username} ${text}`, under, to),
        sends(text, files, under) {
          const topic = under ?? String(telegram.topic(chat))
          for (const [at, [file, content]] of Object.entries(files).entries())
            person.writes(chat, at === 0 ? `@${telegram.world.self.username} ${text}` : '', {
              thread: Number(topic),
              file: { name: file, content },
            })
          return topic
        },
        says: write,
        saysUnheard: (text, under) => void write(text, under),
        clicks(message, label) {
          const button = message.buttons.find((one) => one.label === label)
          if (!button) throw new Error(`no button ${label}: ${JSON.stringify(message.buttons)}`)
          clicks.add(person.clicks(message.chat, message.id, button.action).id)
        },
        fills: async () => {},
        commands: (text) => void person.writes(chat, `/signalbox ${text}`),
        toldPrivately: () => [
          ...telegram.answers.flatMap((one) => (clicks.has(one.callback_query_id) && one.text ? [one.text] : [])),
          ...telegram.ours(direct).map(({ text = '' }) => text),
        ],
        async picks(label) {
          const { shown, button } = await until(
            () => {
              const last = telegram.ours(direct).map(shownOf).at(-1)
              const found = last?.buttons.find((one) => label.test(one.label))
              return last && found ? { shown: last, button: found } : null
            },
            { what: `a button ${label}` },
          )
          clicks.add(person.clicks(shown.chat, shown.id, button.action).id)
        },
        direct: () => telegram.ours(direct).map(shownOf),
      }
    },
    another: (name) => telegram.group(name, 'supergroup', true),
    posted: (root, to = chat) =>
      telegram
        .ours(to)
        .filter((one) => String(one.message_thread_id) === root)
        .map(shownOf),
    inChat: () =>
      telegram
        .ours(chat)
        .filter((one) => one.message_thread_id === undefined)
        .map(shownOf),
    revoke: () => telegram.revoke(),
    renew: () => ({ bot_token: telegram.renew() }),
    fail(how, times) {
      const fault = how === 'wait' ? { code: 429, retryAfter: 1 } : { drop: 'after' as const }
      telegram.fail({ method: 'sendMessage', times, ...fault })
    },
    trouble(group, how) {
      const healed = Promise.withResolvers<void>()
      let isOver = false
      const matches = (args: Record<string, unknown>) => !isOver && String(args['chat_id']) === group
      const fault = troubles(healed.promise, { code: 429, retryAfter: 1 })[how]
      for (const method of ['sendMessage', 'editMessageText'])
        telegram.fail({ method, matches, times: Infinity, ...fault })
      return () => {
        isOver = true
        healed.resolve()
      }
    },
    async answerLate(released) {
      const before = telegram.callsOf('sendMessage').length
      telegram.fail({ method: 'sendMessage', hold: released })
      await until(() => telegram.callsOf('sendMessage').length > before, { what: 'a message', seconds: 60 })
    },
    unacknowledged: () => telegram.updates.pending().length,
    loseAcknowledgements: () => telegram.updates.loseAcknowledgements(),
    drop: () => telegram.fail({ method: 'getUpdates', drop: 'after' }),
    fileContents: () =>
      [...telegram.world.chats.values()]
        .flatMap(({ messages }) => messages)
        .filter(({ from, document }) => from.id === telegram.world.self.id && document)
        .map(({ document }) => telegram.world.files.get(document?.file_id ?? '')?.bytes.toString() ?? ''),
    reactions: () =>
      [...telegram.world.chats.values()].flatMap(({ messages }) =>
        messages.flatMap(({ reaction }) => (reaction === undefined ? [] : [reaction])),
      ),
    fetches: () => telegram.callsOf('getFile').length,
    sends: () => telegram.callsOf('sendMessage').length,
    directsOpened: () => 0,
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}
