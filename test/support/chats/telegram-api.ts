import { checkMessage, type Args, type ChatRecord, type TelegramMessage, type World } from './telegram-world.ts'

/** An answer of the Bot API that is not `ok`. */
export class Refused extends Error {
  readonly code: number
  constructor(code: number, description: string) {
    super(description)
    this.code = code
  }
}
const refuse = (description: string, code = 400): never => {
  throw new Refused(code, description)
}

/** A file in a form. */
export type Upload = { name: string; bytes: Buffer }

const reactions = new Set(['👍', '👎', '❤', '🔥', '🎉', '🤔', '👀', '👏', '🏆', '🤨', '😁', '🤣', '👾', '💯', '🙏'])

const number = (value: unknown): number => Number(value)
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export type ClickAnswer = { callback_query_id: string; text?: string }

/** The methods that act in chats. Those about updates are in `telegram.ts`. */
export function createTelegramApi(world: World, answers: ClickAnswer[], isOpenClick: (id: string) => boolean) {
  function chatOf(args: Args): ChatRecord {
    const record = world.chats.get(number(args['chat_id'])) ?? refuse('Bad Request: chat not found')
    if (record.isClosed)
      refuse(
        record.chat.type === 'private'
          ? 'Forbidden: bot was blocked by the user'
          : `Forbidden: bot was kicked from the ${record.chat.type} chat`,
        403,
      )
    return record
  }

  function checked(args: Args, field: 'text' | 'caption') {
    const result = checkMessage(args, field)
    return typeof result === 'string' ? refuse(result) : result
  }

  function post(args: Args, more: Partial<TelegramMessage>): TelegramMessage {
    const record = chatOf(args)
    const thread = args['message_thread_id'] === undefined ? undefined : number(args['message_thread_id'])
    if (thread !== undefined && !record.topics.has(thread)) refuse('Bad Request: message thread not found')
    const reply = args['reply_parameters'] as { message_id: number; allow_sending_without_reply?: boolean } | undefined
    const replied = reply && world.message(record.chat.id, reply.message_id)
    if (reply && !replied && !reply.allow_sending_without_reply) refuse('Bad Request: message to be replied not found')
    return world.addMessage(record, world.self, {
      ...more,
      ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
      ...(replied && { reply_to_message: { message_id: replied.message_id } }),
    })
  }

  function ownMessage(args: Args): TelegramMessage {
    const { chat } = chatOf(args)
    const message = world.message(chat.id, number(args['message_id']))
    if (!message) return refuse('Bad Request: message to edit not found')
    return message.from.id === world.self.id ? message : refuse("Bad Request: message can't be edited")
  }

  function change(message: TelegramMessage, next: Partial<TelegramMessage>): TelegramMessage {
    const fields = Object.keys(next) as (keyof TelegramMessage)[]
    if (fields.every((field) => same(message[field], next[field])))
      refuse(
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same ' +
          'as a current content and reply markup of the message',
      )
    return Object.assign(message, next, { edit_date: world.now(), edits: (message.edits ?? 0) + 1 })
  }

  const methods: Record<string, (args: Args) => unknown> = {
    getMe: () => world.self,
    getChat: (args) => (world.chats.get(number(args['chat_id'])) ?? refuse('Bad Request: chat not found')).chat,
    sendMessage(args) {
      const { text, entities, markup } = checked(args, 'text')
      return post(args, { text, entities, ...(markup && { reply_markup: markup }) })
    },
    sendDocument(args) {
      const upload = args['document'] as Upload | undefined
      if (!upload?.bytes) return refuse('Bad Request: there is no document in the request')
      if (upload.bytes.length === 0) refuse('Bad Request: file must be non-empty')
      if (upload.bytes.length > 50_000_000) refuse('Request Entity Too Large', 413)
      const { text: caption, entities, markup } = checked(args, 'caption')
      const document = world.addFile(upload.bytes, upload.name)
      const words = caption !== '' && { caption, caption_entities: entities }
      return post(args, { document, ...words, ...(markup && { reply_markup: markup }) })
    },
    editMessageText(args) {
      const message = ownMessage(args)
      if (message.text === undefined) refuse('Bad Request: there is no text in the message to edit')
      const { text, entities, markup } = checked(args, 'text')
      return change(message, { text, entities, reply_markup: markup } as Partial<TelegramMessage>)
    },
    editMessageCaption(args) {
      const message = ownMessage(args)
      if (!message.document) refuse('Bad Request: there is no caption in the message to edit')
      const { text, entities, markup } = checked(args, 'caption')
      const words = { caption: text || undefined, caption_entities: text === '' ? undefined : entities }
      return change(message, { ...words, reply_markup: markup } as Partial<TelegramMessage>)
    },
    setMessageReaction(args) {
      const { chat } = chatOf(args)
      const message = world.message(chat.id, number(args['message_id']))
      const [reaction] = args['reaction'] as { type: string; emoji: string }[]
      if (!message) return refuse('Bad Request: message to react not found')
      if (!reaction || !reactions.has(reaction.emoji)) return refuse('Bad Request: REACTION_INVALID')
      message.reaction = reaction.emoji
      return true
    },
    answerCallbackQuery(args) {
      const answer = args as ClickAnswer
      if ((answer.text?.length ?? 0) > 200) refuse('Bad Request: MESSAGE_TOO_LONG')
      if (!isOpenClick(answer.callback_query_id))
        refuse('Bad Request: query is too old and response timeout expired or query ID is invalid')
      answers.push(answer)
      return true
    },
    getFile(args) {
      const stored = world.files.get(String(args['file_id'])) ?? refuse('Bad Request: invalid file_id')
      if (stored.bytes.length > 20_000_000) refuse('Bad Request: file is too big')
      return { ...stored.file, file_path: stored.path }
    },
  }
  return methods
}
