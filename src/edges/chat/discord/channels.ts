import { backoff } from '../../../lib/backoff.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { ChatRef } from '../adapter.ts'
import { Channel, GuildChannels } from './frames.ts'
import type { Rest } from './rest.ts'

/** A thread of a news channel, a public and a private one. */
const threadTypes = new Set([10, 11, 12])
const mostKnown = 10_000
const mostAttempts = 5

export type Place = { readonly chat: ChatRef; readonly thread: string | null }

export const isThread = ({ type }: Pick<Channel, 'type'>): boolean =>
  type !== null && type !== undefined && threadTypes.has(type)

/** `nameOf` finds the name of the channel above a thread. */
export function placeOf(
  channel: Channel,
  isDirect: boolean,
  nameOf: (id: string) => string | null = () => null,
): Place {
  const parent = isThread(channel) ? (channel.parent_id ?? null) : null
  const name = isDirect ? null : parent === null ? (channel.name ?? null) : nameOf(parent)
  return {
    chat: { id: parent ?? channel.id, name, isGroup: !isDirect, isDirect },
    thread: parent === null ? null : channel.id,
  }
}

/**
 * A thread of Discord is a channel of its own. For us it is part of the channel above it, so we have to know which
 * channels are threads, and of what. Events tell it; Discord is asked about the others, once.
 */
export function createChannels(rest: Rest, stop: AbortSignal) {
  const known = new Map<string, Channel>()

  function learn(channel: Channel): void {
    // The one that was heard of last is forgotten last.
    known.delete(channel.id)
    known.set(channel.id, channel)
    if (known.size <= mostKnown) return
    const [oldest] = known.keys()
    if (oldest !== undefined) known.delete(oldest)
  }

  /** Undefined if Discord does not show it. */
  async function ask(id: string): Promise<Channel | undefined> {
    for (let attempt = 1; attempt <= mostAttempts && !stop.aborted; attempt += 1) {
      const request = { what: 'reading a channel', method: 'GET', path: `channels/${id}` } as const
      const answer = await rest.call(request, Channel, stop)
      if (answer.kind === 'answered') {
        learn(answer.value)
        return answer.value
      }
      if (answer.kind === 'gone' || answer.kind === 'permanent' || answer.kind === 'refused') return undefined
      const ms = answer.kind === 'rate_limited' ? answer.retryAfterMs : backoff(attempt, 250, 5000)
      await createWakeSignal().after(0, ms, stop)
    }
    return undefined
  }

  const nameOf = (id: string): string | null => known.get(id)?.name ?? null

  return {
    name: nameOf,

    /** What an event says about channels. */
    hear(type: string, data: unknown): void {
      if (type === 'GUILD_CREATE' || type === 'THREAD_LIST_SYNC') {
        const { channels, threads } = GuildChannels.safeParse(data).data ?? {}
        for (const channel of [...(channels ?? []), ...(threads ?? [])]) if (channel) learn(channel)
      }
      if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) {
        const channel = Channel.safeParse(data)
        if (channel.success) learn(channel.data)
      }
    },

    /** The channel of an interaction comes with it. */
    ofInteraction(channel: Channel, isDirect: boolean): Place {
      if (!isDirect && channel.name) learn(channel)
      return placeOf(channel, isDirect, nameOf)
    },

    async ofMessage(id: string, isDirect: boolean, type: number | null): Promise<Place> {
      const channel: Channel = { id, type }
      if (isDirect || (type !== null && !isThread(channel))) return placeOf(known.get(id) ?? channel, isDirect, nameOf)
      const found = known.get(id) ?? (await ask(id))
      // What we do not know because we stop must not end up in another chat.
      if (!found && stop.aborted) throw new Error('stopped')
      return placeOf(found ?? channel, false, nameOf)
    },
  }
}
