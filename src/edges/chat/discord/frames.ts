import * as z from 'zod'
import { Snowflake } from './snowflake.ts'

/**
 * The parts of Discord's frames that we use, as its documentation describes them. Discord adds fields at any time, so
 * unknown ones are ignored. `Incoming` bounds the sizes.
 */

const Name = z.string().max(500)
const Text = z.string().max(200_000)

/** One frame of the gateway. */
export const GatewayFrame = z.object({
  op: z.int(),
  d: z.unknown().optional(),
  s: z.int().nonnegative().nullish(),
  t: z.string().max(100).nullish(),
})
export type GatewayFrame = z.infer<typeof GatewayFrame>

export const Hello = z.object({ heartbeat_interval: z.number().min(1).max(3_600_000) })

/** Where a connection continues: enough for another process to resume it. */
export const GatewayCursor = z.object({
  session_id: z.string().min(1).max(200),
  seq: z.int().nonnegative(),
  resume_gateway_url: z.string().min(1).max(500),
})
export type GatewayCursor = z.infer<typeof GatewayCursor>

export const Ready = GatewayCursor.omit({ seq: true })

export const User = z.object({
  id: Snowflake,
  username: Name.nullish(),
  global_name: Name.nullish(),
  bot: z.boolean().nullish(),
  system: z.boolean().nullish(),
})
const Member = z.object({ nick: Name.nullish() })

export const Channel = z.object({
  id: Snowflake,
  type: z.int().nullish(),
  name: Name.nullish(),
  parent_id: Snowflake.nullish(),
})
export type Channel = z.infer<typeof Channel>
/** One unreadable channel must not hide the others. */
const Channels = z.array(Channel.nullable().catch(null)).max(10_000).nullish().catch(null)
export const GuildChannels = z.object({ channels: Channels, threads: Channels })

const Attachment = z.object({
  id: Snowflake,
  filename: z.string().max(1000),
  content_type: z.string().max(200).nullish(),
  size: z.int().nonnegative().nullish(),
  url: z.string().max(2500),
})

/** A message, in an event or in a history. */
export const DiscordMessage = z.object({
  id: Snowflake,
  channel_id: Snowflake,
  type: z.int().nullish(),
  author: User,
  webhook_id: Snowflake.nullish(),
  content: Text.nullish(),
  mentions: z.array(User).max(200).nullish(),
  attachments: z.array(Attachment).max(50).nullish(),
  message_reference: z.object({ type: z.int().nullish(), message_id: Snowflake.nullish() }).nullish(),
  nonce: z
    .union([z.string().max(100), z.number()])
    .nullish()
    .catch(null),
  embeds: z
    .array(z.looseObject({ description: Text.nullish() }))
    .max(50)
    .nullish()
    .catch(null),
})
export type DiscordMessage = z.infer<typeof DiscordMessage>

export const MessageEvent = DiscordMessage.extend({
  guild_id: Snowflake.nullish(),
  channel_type: z.int().nullish(),
  member: Member.nullish(),
})
export type MessageEvent = z.infer<typeof MessageEvent>

export const interactionTypes = { ping: 1, command: 2, component: 3, autocomplete: 4, form: 5 } as const

/** `type` first: what we do not know is ignored. */
export const AnyInteraction = z.object({ type: z.int() })

const interaction = {
  id: Snowflake,
  token: z.string().min(1).max(1000),
  guild_id: Snowflake.nullish(),
  channel_id: Snowflake.nullish(),
  channel: Channel.nullish(),
  member: Member.extend({ user: User }).nullish(),
  user: User.nullish(),
  message: z.object({ id: Snowflake }).nullish(),
}
export const InteractionFrame = z.object(interaction)
export type InteractionFrame = z.infer<typeof InteractionFrame>

export const CommandFrame = z.object({
  ...interaction,
  data: z.object({
    name: z.string().max(100),
    options: z
      .array(z.object({ name: z.string().max(100), value: z.unknown().optional() }))
      .max(50)
      .nullish(),
  }),
})
export const ComponentFrame = z.object({
  ...interaction,
  message: z.object({ id: Snowflake }),
  data: z.object({ custom_id: z.string().min(1).max(100) }),
})

const Input = z.object({ value: Text.nullish() })
/** The field is in a label; in older forms in a row. */
export const FormFrame = z.object({
  ...interaction,
  data: z.object({
    custom_id: z.string().min(1).max(100),
    components: z.array(z.object({ component: Input.nullish(), components: z.array(Input).max(5).nullish() })).max(5),
  }),
})
