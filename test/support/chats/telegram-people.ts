import { randomUUID } from 'node:crypto'
import type { TelegramEntity } from './telegram-html.ts'
import type { ChatRecord, TelegramUser, World } from './telegram-world.ts'

/** Resolves with the update's id when we have confirmed it. */
type Delivered = { updateId: number; confirmed: Promise<number> }
type Deps = {
  world: World
  deliver(update: Record<string, unknown>): Delivered
  openClicks: Set<string>
}

export type Written = {
  /** A topic of a forum. */
  thread?: number
  replyTo?: number
  file?: { name: string; content: string }
  /** Other fields of the message, for example `photo`. */
  more?: Record<string, unknown>
}

/** Telegram marks commands at the beginning, and names. */
const marksIn = (text: string): TelegramEntity[] =>
  [...text.matchAll(/^\/\w+(?:@\w+)?|(?<!\w)@\w+/g)].map(({ 0: word, index }) => ({
    type: word.startsWith('/') ? 'bot_command' : 'mention',
    offset: index,
    length: word.length,
  }))

/** People, who write, press buttons, and add bots to chats. */
export function createTelegramPeople({ world, deliver, openClicks }: Deps) {
  let lastPerson = 100

  function person(name: string) {
    const user: TelegramUser = { id: (lastPerson += 1), is_bot: false, first_name: name, username: `${name}_name` }
    const direct = () => world.chats.get(user.id) ?? world.addChat({ id: user.id, type: 'private', first_name: name })
    const recordOf = (chat: number | string): ChatRecord => {
      const record = world.chats.get(Number(chat))
      if (!record) throw new Error(`no chat ${chat}`)
      return record
    }

    function writes(chat: number | string, text: string, { thread, replyTo, file, more }: Written = {}) {
      const record = recordOf(chat)
      const marks = marksIn(text)
      const document = file && world.addFile(Buffer.from(file.content), file.name)
      const replied = replyTo === undefined ? undefined : world.message(record.chat.id, replyTo)
      const message = world.addMessage(record, user, {
        ...(document
          ? { document, caption: text, ...(marks.length > 0 && { caption_entities: marks }) }
          : { text, ...(marks.length > 0 && { entities: marks }) }),
        ...(thread !== undefined && {
          message_thread_id: thread,
          is_topic_message: true,
          reply_to_message: { message_id: thread },
        }),
        ...(replied && { reply_to_message: replied }),
        ...more,
      })
      return { id: message.message_id, ...deliver({ message: { ...message } }) }
    }

    return {
      id: user.id,
      handle: String(user.id),
      user,
      writes,
      /** The chat with the bot, which exists once this person has started it. */
      direct: (): string => String(direct().chat.id),
      edits(chat: string, id: number, text: string) {
        const message = world.message(Number(chat), id)
        if (!message) throw new Error(`no message ${id}`)
        Object.assign(message, { text, edit_date: world.now() })
        return deliver({ edited_message: { ...message } })
      },
      /** Presses a button of a message that is really there. */
      clicks(chat: string, messageId: string, action: string) {
        const message = world.message(Number(chat), Number(messageId))
        const buttons = message?.reply_markup?.inline_keyboard.flat() ?? []
        if (!buttons.some((one) => one.callback_data === action))
          throw new Error(`no button ${action} in ${JSON.stringify(buttons)}`)
        const id = randomUUID()
        openClicks.add(id)
        const query = { id, from: user, message: { ...message }, chat_instance: '1', data: action }
        return { id, ...deliver({ callback_query: query }) }
      },
      /** Changes the bot's membership: `member`, `administrator`, `restricted`, `left` or `kicked`. */
      makesUs(chat: string, status: string, before = 'member') {
        const record = recordOf(chat)
        record.isClosed = status === 'left' || status === 'kicked'
        const member = (state: string) => ({ user: world.self, status: state })
        return deliver({
          my_chat_member: {
            chat: record.chat,
            from: user,
            date: world.now(),
            old_chat_member: member(before),
            new_chat_member: member(status),
          },
        })
      },
    }
  }
  return { person }
}
