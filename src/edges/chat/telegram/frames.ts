import * as z from 'zod'

/**
 * The parts of Telegram's updates that we use, as its documentation describes them. Telegram adds fields at any time,
 * so unknown ones are ignored. `Incoming` bounds the sizes.
 */

const Id = z.int()
const Name = z.string().max(500).nullish()
const Text = z.string().max(200_000).nullish()
/** Seconds since 1970. */
const Time = z.int().nonnegative().max(100_000_000_000)

export const User = z.object({
  id: Id.positive(),
  is_bot: z.boolean().nullish(),
  first_name: Name,
  last_name: Name,
  username: Name,
})
export type User = z.infer<typeof User>

export const Chat = z.object({
  id: Id,
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: Name,
  first_name: Name,
  last_name: Name,
})
export type Chat = z.infer<typeof Chat>

/** Offsets and lengths are in UTF-16 units, as in our strings. */
export const Entity = z.object({
  type: z.string().max(100),
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  url: z.string().max(4000).nullish(),
  user: z.looseObject({ id: Id }).nullish(),
})
export type Entity = z.infer<typeof Entity>
const Entities = z.array(Entity).max(1000).nullish()

const File = z.object({
  file_id: z.string().min(1).max(1000),
  file_unique_id: z.string().max(200).nullish(),
  file_name: z.string().max(1000).nullish(),
  mime_type: z.string().max(200).nullish(),
  file_size: z.int().nonnegative().nullish(),
})
export type File = z.infer<typeof File>
const Photo = File.extend({ width: z.int(), height: z.int() })

export const Message = z.object({
  message_id: Id.positive(),
  message_thread_id: Id.nullish(),
  is_topic_message: z.boolean().nullish(),
  from: User.nullish(),
  /** The chat in whose name it was written: an anonymous admin, or a linked channel. */
  sender_chat: z.looseObject({ id: Id }).nullish(),
  date: Time,
  chat: Chat,
  text: Text,
  caption: Text,
  entities: Entities,
  caption_entities: Entities,
  reply_to_message: z.looseObject({ message_id: Id }).nullish(),
  document: File.nullish(),
  photo: z.array(Photo).max(100).nullish(),
  audio: File.nullish(),
  voice: File.nullish(),
  video: File.nullish(),
  video_note: File.nullish(),
})
export type Message = z.infer<typeof Message>

export const CallbackQuery = z.object({
  id: z.string().min(1).max(100),
  from: User,
  /** Without a text or time if it is old. */
  message: Message.pick({ message_id: true, message_thread_id: true, is_topic_message: true, chat: true }).nullish(),
  data: z.string().max(300).nullish(),
})

const Member = z.looseObject({ status: z.string().max(50), is_member: z.boolean().nullish() })
export const ChatMemberUpdated = z.object({
  chat: Chat,
  from: User,
  date: Time,
  old_chat_member: Member,
  new_chat_member: Member,
})
export type ChatMember = z.infer<typeof Member>

/** One of the optional fields says what happened. */
export const Update = z.looseObject({ update_id: Id.nonnegative() })
export type Update = z.infer<typeof Update>

/** The kinds that we ask for. What people edit is not among them: it would look like a new message. */
export const allowedUpdates = ['message', 'callback_query', 'my_chat_member'] as const

export const Me = z.looseObject({
  id: Id.positive(),
  is_bot: z.boolean(),
  first_name: z.string(),
  username: z.string().min(1),
  can_read_all_group_messages: z.boolean().optional(),
})
export type Me = z.infer<typeof Me>
