import type { Message, MessageContent } from '../../../../src/domain/message/schema.ts'

/**
 * The known part of the conversation: the newest messages in order; `next` leads to older ones. `unread` holds messages
 * known only from live frames, each with the frame count at which it was first seen.
 */
export type Thread = {
  messages: readonly Message[]
  next: string | null
  unread: ReadonlyMap<string, number>
  /** Frames received so far. */
  heard: number
  /** A frame was missed: the conversation must be read again. */
  gap: boolean
}
export type MessagePage = { messages: readonly Message[]; next: string | null }

export const emptyThread: Thread = { messages: [], next: null, unread: new Map(), heard: 0, gap: false }

const isOpen = (content: MessageContent): boolean =>
  content.type === 'tool'
    ? content.status === 'pending' || content.status === 'in_progress'
    : content.type !== 'plan' && content.partial === true

/**
 * The newest page, requested after `askedAt` frames. Messages heard before that are in it or gone; later ones stay.
 * `null`: the page does not reach the known messages, so some are missing in between.
 */
export function mergeNewest(known: Thread, page: MessagePage, askedAt: number): Thread | null {
  const heardLater = known.messages.filter(({ id }) => (known.unread.get(id) ?? -1) >= askedAt)
  const read = new Set(page.messages.map(({ id }) => id))
  const firstKnown = known.messages.findIndex(({ id }) => read.has(id))
  const hadRead = known.messages.some(({ id }) => !known.unread.has(id))
  if (firstKnown === -1 && hadRead) return null
  const byId = new Map(known.messages.map((message) => [message.id, message]))
  const later = heardLater.filter(({ id }) => !read.has(id))
  const older = hadRead ? known.messages.slice(0, firstKnown).filter(({ id }) => !known.unread.has(id)) : []
  // Page messages before the overlap are older than the known ones.
  const meets = firstKnown === -1 ? 0 : page.messages.findIndex(({ id }) => id === known.messages[firstKnown]?.id)
  const fresh = older.length > 0 ? page.messages.slice(meets) : page.messages
  return {
    ...known,
    messages: [...older, ...fresh.map((message) => newer(byId.get(message.id), message)), ...later],
    next: older.length > 0 ? known.next : page.next,
    unread: new Map(later.map(({ id }) => [id, known.unread.get(id) ?? 0])),
    gap: false,
  }
}

/** A page requested before the latest frames lacks some text. */
function newer(known: Message | undefined, read: Message): Message {
  const [before, after] = [known?.content, read.content]
  if (!known || before?.type !== after.type) return read
  if ((before.type !== 'text' && before.type !== 'thought') || (after.type !== 'text' && after.type !== 'thought'))
    return read
  const isBehind = after.partial === true && before.text.length > after.text.length
  if (isBehind) return { ...read, content: before }
  // Keep the same object, so that unchanged messages are not rendered again.
  return before.text === after.text && before.partial === after.partial ? known : read
}

export function restartThread(page: MessagePage, heard: number): Thread {
  return { ...emptyThread, messages: page.messages, next: page.next, heard }
}

export function mergeOlder(known: Thread, page: MessagePage): Thread {
  const have = new Set(known.messages.map(({ id }) => id))
  return {
    ...known,
    messages: [...page.messages.filter(({ id }) => !have.has(id)), ...known.messages],
    next: page.next,
  }
}

/** How many messages to read so that all possible changes are included. */
export function freshLimit({ messages }: Thread): number {
  const oldest = messages.findIndex(({ content }) => isOpen(content))
  const open = oldest === -1 ? 0 : messages.length - oldest
  return Math.min(200, Math.max(20, open + 10))
}
