import { nextId, type DiscordComponent, type DiscordMessage, type Guild } from './discord-guild.ts'
import type { DiscordRest, Interaction } from './discord-rest.ts'

type Deps = {
  guild: Guild
  rest(): DiscordRest
  emit(type: string, data: unknown): void
  interactions: Map<string, Interaction>
  /** Sends an interaction to the app, by the gateway or by HTTP. Resolves when there is a first response. */
  deliver(interaction: Interaction, frame: object): Promise<number>
}
type Written = { replyTo?: string; files?: Record<string, string>; mentions?: readonly string[]; more?: object }

/** People of the server, who write, press buttons, fill in forms, use commands and start threads. */
export function createDiscordPeople({ guild, rest, emit, interactions, deliver }: Deps) {
  return function person(name: string) {
    const user = guild.addPerson(name)
    const { id } = user
    const member = { user, nick: null, roles: [], joined_at: new Date().toISOString(), permissions: '0' }

    function interact(type: number, channelId: string, data: object, message?: DiscordMessage) {
      const channel = guild.channels.get(channelId)
      if (!channel) throw new Error(`no channel ${channelId}`)
      const token = `aW50/${nextId()}`
      const interaction: Interaction = {
        id: nextId(),
        token,
        user: id,
        channel: channelId,
        type,
        at: Date.now(),
        seen: [],
        ...(message && { message }),
      }
      interactions.set(interaction.id, interaction)
      const isDirect = channel.guild_id === undefined
      const frame = {
        id: interaction.id,
        application_id: guild.appId,
        type,
        token,
        version: 1,
        channel_id: channelId,
        channel,
        ...(isDirect ? { user } : { guild_id: guild.id, member }),
        app_permissions: '0',
        locale: 'en-GB',
        entitlements: [],
        ...(message && { message }),
        data,
      }
      const acked = deliver(interaction, frame)
      // Not every test waits for it.
      acked.catch(() => {})
      return { interaction, acked }
    }

    return {
      id,
      name,
      user,
      writes(channelId: string, content: string, { replyTo, files = {}, mentions = [], more = {} }: Written = {}) {
        const channel = guild.channels.get(channelId)
        if (!channel) throw new Error(`no channel ${channelId}`)
        const mentioned = [guild.bot, ...guild.people.values()].filter(
          (one) => content.includes(`<@${one.id}>`) || mentions.includes(one.id),
        )
        const message = guild.add({
          channel_id: channelId,
          author: user,
          content,
          mentions: mentioned,
          attachments: Object.entries(files).map(([file, text]) => rest().attach(channelId, file, Buffer.from(text))),
          ...(replyTo !== undefined && {
            type: 19,
            message_reference: { type: 0, message_id: replyTo, channel_id: channelId },
          }),
        })
        const isDirect = channel.guild_id === undefined
        emit('MESSAGE_CREATE', {
          ...message,
          ...(!isDirect && { guild_id: guild.id, member: { nick: null } }),
          ...more,
        })
        return message
      },
      edits(channelId: string, messageId: string, content: string): void {
        const message = guild.message(channelId, messageId)
        if (!message) throw new Error(`no message ${messageId}`)
        emit('MESSAGE_UPDATE', { ...Object.assign(message, { content }), guild_id: guild.id })
      },
      /** `silently`: as if it happened before we listened. */
      startsThread(channelId: string, threadName: string, silently = false): string {
        const thread = guild.addChannel({ type: 11, name: threadName, parent_id: channelId })
        if (!silently) emit('THREAD_CREATE', { ...thread, newly_created: true })
        return thread.id
      },
      /** Presses a button of a message that is really there. */
      clicks(channelId: string, messageId: string, label: string) {
        const message = guild.message(channelId, messageId)
        const buttons = (message?.components ?? []).flatMap((row: DiscordComponent) => row.components ?? [])
        const button = buttons.find((one) => one.label === label)
        if (!message || !button) throw new Error(`no button ${label} in ${JSON.stringify(message?.components)}`)
        return interact(3, channelId, { component_type: 2, custom_id: button.custom_id }, message)
      },
      /** Presses a button of a response that only this person sees. */
      picks({ channel, seen, user: by }: Interaction, label: RegExp) {
        const rows = seen.at(-1)?.components ?? []
        const button = rows.flatMap((row) => row.components ?? []).find((one) => label.test(one.label ?? ''))
        if (!button || by !== id) throw new Error(`${name} sees no button ${label} in ${JSON.stringify(seen)}`)
        const shown = { id: nextId(), channel_id: channel, author: guild.bot, content: '', flags: 64 }
        return interact(3, channel, { component_type: 2, custom_id: button.custom_id }, shown as DiscordMessage)
      },
      commands(channelId: string, text: string | null, command = 'signalbox') {
        const options = text === null ? [] : [{ name: 'text', type: 3, value: text }]
        return interact(2, channelId, { id: nextId(), name: command, type: 1, options })
      },
      /** Fills in the only field of the form that was the response to a click, and submits it. */
      submits({ response, message, channel, user: by }: Interaction, value: string) {
        const form = response?.type === 9 && by === id ? response.data : undefined
        const fields = form?.components as { component: { custom_id: string } }[] | undefined
        if (!form || !fields) throw new Error(`${name} sees no form`)
        const components = fields.map(({ component }, index) => ({
          type: 18,
          id: index + 1,
          component: { type: 4, id: index + 10, custom_id: component.custom_id, value },
        }))
        return interact(5, channel, { custom_id: form.custom_id, components }, message)
      },
      /** The direct channel between this person and the bot. */
      direct: (): string => (guild.direct(id) ?? guild.addChannel({ type: 1, name: null, recipient: id })).id,
    }
  }
}
