/** What is in the emulated server: people, channels, threads and messages. Frames follow Discord's documentation. */

export type DiscordUser = { id: string; username: string; global_name: string | null; bot: boolean }
export type DiscordComponent = {
  type: number
  custom_id?: string
  label?: string
  style?: number
  components?: DiscordComponent[]
}
export type DiscordEmbed = {
  title?: string
  description?: string
  footer?: { text: string }
  fields?: { name: string; value: string }[]
}
export type DiscordAttachment = { id: string; filename: string; size: number; url: string; content_type: string }
export type DiscordMessage = {
  id: string
  channel_id: string
  author: DiscordUser
  type: number
  content: string
  timestamp: string
  flags: number
  mentions: DiscordUser[]
  attachments: DiscordAttachment[]
  embeds: DiscordEmbed[]
  components: DiscordComponent[]
  nonce?: string
  message_reference?: { type: number; message_id: string; channel_id: string }
  reactions: string[]
  /** Not of Discord: what the last call said about mentions, for tests. */
  allowed?: unknown
}
export type DiscordChannel = {
  id: string
  /** 0: text, 1: direct, 11: public thread, 12: private thread. */
  type: number
  name: string | null
  guild_id?: string
  parent_id?: string
  recipient?: string
  /** The bot has no access. */
  hidden?: boolean
}

const epochMs = 1_420_070_400_000n
let last = 0n
/** Unique, and later than every other. */
export function nextId(): string {
  const now = (BigInt(Date.now()) - epochMs) << 22n
  last = now > last ? now : last + 1n
  return String(last)
}

export type Guild = ReturnType<typeof createGuild>

export function createGuild() {
  const channels = new Map<string, DiscordChannel>()
  const people = new Map<string, DiscordUser>()
  const messages: DiscordMessage[] = []
  const files = new Map<string, Buffer>()
  const guildId = nextId()
  const bot: DiscordUser = { id: nextId(), username: 'signalbox', global_name: null, bot: true }

  return {
    id: guildId,
    appId: nextId(),
    bot,
    channels,
    people,
    messages,
    files,
    addPerson(name: string): DiscordUser {
      const person = { id: nextId(), username: name, global_name: name, bot: false }
      people.set(person.id, person)
      return person
    },
    addChannel(channel: Omit<DiscordChannel, 'id'> & { id?: string }): DiscordChannel {
      const made = { id: nextId(), ...(channel.type !== 1 && { guild_id: guildId }), ...channel }
      channels.set(made.id, made)
      return made
    },
    direct(user: string): DiscordChannel | undefined {
      return [...channels.values()].find(({ recipient }) => recipient === user)
    },
    message: (channel: string, id: string): DiscordMessage | undefined =>
      messages.find((one) => one.id === id && one.channel_id === channel),
    in: (channel: string): DiscordMessage[] => messages.filter((one) => one.channel_id === channel),
    add(message: Partial<DiscordMessage> & Pick<DiscordMessage, 'channel_id' | 'author'>): DiscordMessage {
      const made: DiscordMessage = {
        id: nextId(),
        type: 0,
        content: '',
        timestamp: new Date().toISOString(),
        flags: 0,
        mentions: [],
        attachments: [],
        embeds: [],
        components: [],
        reactions: [],
        ...message,
      }
      messages.push(made)
      return made
    },
  }
}

const lengthOf = (value: string | undefined): number => value?.length ?? 0

type Body = {
  content?: string
  embeds?: DiscordEmbed[]
  components?: DiscordComponent[]
  nonce?: string
  flags?: number
}

/** The limits that Discord documents for a message. */
export function messageProblem({ content, embeds = [], components = [], nonce }: Body, files = 0): string | undefined {
  if (lengthOf(content) > 2000) return 'content: Must be 2000 or fewer in length.'
  if (!content?.trim() && embeds.length === 0 && components.length === 0 && files === 0)
    return 'Cannot send an empty message'
  if (lengthOf(nonce) > 25) return 'nonce: Must be 25 or fewer in length.'
  if (embeds.length > 10) return 'embeds: Must be 10 or fewer in length.'
  let total = 0
  for (const { title, description, footer, fields = [] } of embeds) {
    if (lengthOf(title) > 256 || lengthOf(description) > 4096 || lengthOf(footer?.text) > 2048 || fields.length > 25)
      return 'embeds: too long'
    if (!title && !description && fields.length === 0) return 'embeds: empty'
    if (footer && footer.text.trim() === '') return 'embeds: empty footer'
    total += lengthOf(title) + lengthOf(description) + lengthOf(footer?.text)
    for (const { name, value } of fields) total += name.length + value.length
  }
  if (total > 6000) return 'embeds: Embed size exceeds maximum size of 6000'
  return rowsProblem(components)
}

function rowsProblem(rows: readonly DiscordComponent[]): string | undefined {
  if (rows.length > 5) return 'components: Must be 5 or fewer in length.'
  const buttons = rows.flatMap((row) => row.components ?? [])
  if (rows.some(({ type, components = [] }) => type !== 1 || components.length === 0 || components.length > 5))
    return 'components: a row has 1 to 5 buttons'
  const ids = buttons.map((button) => button.custom_id ?? '')
  if (new Set(ids).size < ids.length) return 'components: Component custom id cannot be duplicated'
  const isWrong = ({ custom_id: id, label, style }: DiscordComponent) =>
    !id || id.length > 100 || !label?.trim() || label.length > 80 || ![1, 2, 3, 4].includes(style ?? 0)
  return buttons.some(isWrong) ? 'components: invalid button' : undefined
}
