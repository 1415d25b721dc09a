import type { Incoming } from '../../../domain/chat/incoming.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Connection } from '../adapter.ts'

const keptMs = 3_600_000
const mostKept = 5000
const limitMs = 3000

/** Names of people and chats, for platforms whose events carry only ids. */
export function createNames(now: () => number) {
  const kept = new Map<string, { name: string | null; until: number }>()

  async function known(key: string, look: (stop: AbortSignal) => Promise<string | null>): Promise<string | null> {
    const found = kept.get(key)
    if (found && found.until > now()) return found.name
    const stop = new AbortController()
    const name = await withTimeLimit(
      look(stop.signal).catch(() => null),
      limitMs,
    )
    stop.abort()
    if (kept.size >= mostKept) kept.clear()
    // What is not known now may be known soon.
    kept.set(key, { name: name ?? null, until: now() + (name ? keptMs : 60_000) })
    return name ?? null
  }

  return {
    /** The event with the names that the platform can tell. */
    async named<E extends Incoming>(event: E, instanceId: string, connection: Connection): Promise<E> {
      let { chat } = event
      if (chat.name === null && !chat.isDirect && connection.nameOfChat) {
        const name = await known(
          `${instanceId}/chat/${chat.id}`,
          (stop) => connection.nameOfChat?.(chat.id, stop) ?? Promise.resolve(null),
        )
        if (name !== null) chat = { ...chat, name: name.slice(0, 500) }
      }
      if (!('sender' in event) || event.sender.name !== null || !connection.nameOfPerson) return { ...event, chat }
      const { handle } = event.sender
      const name = await known(
        `${instanceId}/person/${handle}`,
        (stop) => connection.nameOfPerson?.(handle, stop) ?? Promise.resolve(null),
      )
      return { ...event, chat, sender: { ...event.sender, name: name?.slice(0, 500) ?? null } }
    },
  }
}
