import * as z from 'zod'

/**
 * The parts of Slack's frames that we use, as its documentation describes them. Slack adds fields at any time, so
 * unknown ones are ignored. `Incoming` bounds the sizes.
 */

const Id = z.string().min(1).max(100)
/** Seconds and microseconds; also the id of a message in its channel. */
export const Ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/)
const Text = z.string().max(200_000)

export const SlackFile = z.object({
  id: Id,
  name: z.string().max(1000).nullish(),
  mimetype: z.string().max(200).nullish(),
  size: z.int().nonnegative().nullish(),
  mode: z.string().max(50).nullish(),
})

/** A message, in an event or in a history. */
export const SlackMessage = z.object({
  ts: Ts,
  subtype: z.string().max(100).nullish(),
  user: Id.nullish(),
  bot_id: z.string().max(100).nullish(),
  text: Text.nullish(),
  thread_ts: Ts.nullish(),
  files: z.array(SlackFile).max(100).nullish(),
  metadata: z
    .object({ event_type: z.string().max(255), event_payload: z.record(z.string(), z.unknown()) })
    .nullish()
    .catch(null),
})
export type SlackMessage = z.infer<typeof SlackMessage>

const ChannelType = z.enum(['channel', 'group', 'im', 'mpim', 'app_home']).nullish().catch(null)

/** `type` first: what we do not know is acknowledged and ignored. */
export const AnyEvent = z.looseObject({ type: z.string().max(100) })

export const MessageEvent = SlackMessage.extend({
  type: z.enum(['message', 'app_mention']),
  channel: Id,
  channel_type: ChannelType,
})
export const MemberEvent = z.object({
  type: z.enum(['member_joined_channel', 'member_left_channel']),
  user: Id,
  channel: Id,
  channel_type: z.string().max(20).nullish(),
  inviter: Id.nullish(),
})
export const LeftEvent = z.object({ type: z.enum(['channel_left', 'group_left']), channel: Id })

export const EventCallback = z.object({
  type: z.literal('event_callback'),
  event_id: Id,
  event_time: z.number().nullish(),
  event: AnyEvent,
  authorizations: z
    .array(z.object({ user_id: Id.nullish(), is_bot: z.boolean().nullish() }))
    .max(50)
    .nullish(),
})

const User = z.object({
  id: Id,
  name: z.string().max(500).nullish(),
  username: z.string().max(500).nullish(),
})

export const BlockActions = z.object({
  type: z.literal('block_actions'),
  user: User,
  channel: z.object({ id: Id, name: z.string().max(500).nullish() }),
  container: z.object({ message_ts: Ts, thread_ts: Ts.nullish() }),
  trigger_id: z.string().min(1).max(300),
  response_url: z.string().max(2000).nullish(),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().max(2000).nullish(),
        action_ts: Ts.nullish(),
      }),
    )
    .min(1)
    .max(10),
})

export const ViewSubmission = z.object({
  type: z.literal('view_submission'),
  user: User,
  trigger_id: z.string().max(300).nullish(),
  view: z.object({
    id: Id,
    callback_id: z.string().max(255),
    private_metadata: z.string().max(3000),
    state: z.object({
      values: z.record(z.string(), z.record(z.string(), z.object({ value: Text.nullish() }))),
    }),
  }),
})

export const SlashCommand = z.object({
  command: z.string().max(100),
  text: Text.nullish(),
  user_id: Id,
  user_name: z.string().max(500).nullish(),
  channel_id: Id,
  channel_name: z.string().max(500).nullish(),
  trigger_id: z.string().min(1).max(300),
  response_url: z.string().max(2000).nullish(),
})

/** One frame of Socket Mode. `hello` and `disconnect` have no envelope id. */
export const SocketFrame = z.looseObject({
  type: z.string().max(100),
  envelope_id: z.string().min(1).max(200).optional(),
  reason: z.string().max(200).optional(),
  payload: z.unknown().optional(),
})
export type SocketFrame = z.infer<typeof SocketFrame>
