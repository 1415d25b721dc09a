import { parseHtml, type TelegramEntity } from './telegram-html.ts'

/** What is in the emulated Telegram: people, chats, messages and files. Frames follow the Bot API's documentation. */

export type Args = Record<string, unknown>
export type TelegramUser = {
  id: number
  is_bot: boolean
  first_name: string
  username?: string
  can_read_all_group_messages?: boolean
}
export type TelegramChatType = 'private' | 'group' | 'supergroup' | 'channel'
export type TelegramChat = {
  id: number
  type: TelegramChatType
  title?: string
  first_name?: string
  is_forum?: boolean
}
export type TelegramButton = { text: string; callback_data: string; style?: string }
export type TelegramMarkup = { inline_keyboard: TelegramButton[][] }
export type TelegramFile = { file_id: string; file_unique_id: string; file_name?: string; file_size: number }
export type TelegramMessage = {
  message_id: number
  from: TelegramUser
  chat: TelegramChat
  date: number
  text?: string
  caption?: string
  entities?: TelegramEntity[]
  caption_entities?: TelegramEntity[]
  document?: TelegramFile
  reply_markup?: TelegramMarkup
  message_thread_id?: number
  is_topic_message?: boolean
  reply_to_message?: Partial<TelegramMessage>
  edit_date?: number
  /** Not of Telegram: the emoji of our reaction, and how often the message was edited. */
  reaction?: string
  edits?: number
}
/** A chat with what only Telegram knows about it. */
export type ChatRecord = {
  readonly chat: TelegramChat
  readonly topics: Set<number>
  messages: TelegramMessage[]
  /** We were removed, or blocked by the person. */
  isClosed: boolean
}

export const bot: TelegramUser = {
  id: 42,
  is_bot: true,
  first_name: 'Signalbox',
  username: 'signalbox_bot',
  can_read_all_group_messages: true,
}

export type World = ReturnType<typeof createWorld>

export function createWorld() {
  const chats = new Map<number, ChatRecord>()
  const files = new Map<string, { file: TelegramFile; bytes: Buffer; path: string }>()
  const self = { ...bot }
  let lastFile = 0
  /** Direct chats and small groups share their ids; each supergroup has its own. */
  const lastIds = new Map<number, number>()

  const now = () => Math.floor(Date.now() / 1000)
  function nextId({ id, type }: TelegramChat): number {
    const counter = type === 'supergroup' || type === 'channel' ? id : 0
    const next = (lastIds.get(counter) ?? 0) + 1
    lastIds.set(counter, next)
    return next
  }

  return {
    chats,
    files,
    self,
    now,
    nextId,
    addChat(chat: TelegramChat): ChatRecord {
      const record: ChatRecord = { chat, topics: new Set(), messages: [], isClosed: false }
      chats.set(chat.id, record)
      return record
    },
    addMessage(record: ChatRecord, from: TelegramUser, more: Partial<TelegramMessage>): TelegramMessage {
      const message = { message_id: nextId(record.chat), from, chat: record.chat, date: now(), ...more }
      record.messages.push(message)
      return message
    },
    addFile(bytes: Buffer, name?: string): TelegramFile {
      const id = `file-${(lastFile += 1)}`
      const file = { file_id: id, file_unique_id: `u${lastFile}`, file_size: bytes.length }
      const named = name === undefined ? file : { ...file, file_name: name }
      files.set(id, { file: named, bytes, path: `documents/${id}.bin` })
      return named
    },
    message: (chat: number, id: number): TelegramMessage | undefined =>
      chats.get(chat)?.messages.find((one) => one.message_id === id),
  }
}

const bytesOf = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : -1)

function keyboardProblem(markup: unknown): string | undefined {
  if (markup === undefined) return undefined
  const rows = (markup as Partial<TelegramMarkup>).inline_keyboard
  if (!Array.isArray(rows)) return "Bad Request: can't parse reply keyboard markup JSON object"
  if (rows.flat().length > 100 || rows.some((row) => row.length === 0 || row.length > 8))
    return 'Bad Request: reply markup is too long'
  for (const { text, callback_data: data, style } of rows.flat()) {
    if (typeof text !== 'string' || text.trim() === '') return 'Bad Request: text buttons are unallowed'
    if (bytesOf(data) < 1 || bytesOf(data) > 64) return 'Bad Request: BUTTON_DATA_INVALID'
    if (style !== undefined && !['primary', 'danger', 'success'].includes(style))
      return 'Bad Request: unknown button style'
  }
  return undefined
}

export type Checked = { text: string; entities: TelegramEntity[]; markup: TelegramMarkup | undefined }

/** What people would see, or the words with which Telegram refuses it. */
export function checkMessage(args: Args, field: 'text' | 'caption'): Checked | string {
  const given = args[field] ?? ''
  if (typeof given !== 'string' || !given.isWellFormed()) return 'Bad Request: strings must be encoded in UTF-8'
  const parsed = args['parse_mode'] === 'HTML' ? parseHtml(given) : { text: given, entities: [] }
  if ('problem' in parsed) return `Bad Request: can't parse entities: ${parsed.problem}`
  if (field === 'text' && parsed.text.trim() === '') return 'Bad Request: message text is empty'
  if (parsed.text.length > (field === 'text' ? 4096 : 1024))
    return field === 'text' ? 'Bad Request: message is too long' : 'Bad Request: message caption is too long'
  const problem = keyboardProblem(args['reply_markup'])
  if (problem !== undefined) return problem
  const markup = args['reply_markup'] as TelegramMarkup | undefined
  return { ...parsed, markup: markup?.inline_keyboard.length ? markup : undefined }
}
