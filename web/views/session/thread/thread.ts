import type { Message, MessageContent } from '../../../../src/domain/message/schema.ts'

/**
 * The conversation as far as it is known: the newest messages in order, `next` leads to older ones. `unread` holds those
 * known only from what is told live, each with the count of frames at which it was first heard.
 */
export type Thread = {
  messages: readonly Message[]
  next: string | null
  unread: ReadonlyMap<string, number>
  /** Frames heard so far. */
  heard: number
  /** Something was said that was not heard: it has to be read again. */
  gap: boolean
}
export type Page = { messages: readonly Message[]; next: string | null }

export const emptyThread: Thread = { messages: [], next: null, unread: new Map(), heard: 0, gap: false }

const isOpen = (content: MessageContent): boolean =>
  content.type === 'tool'
    ? content.status === 'pending' || content.status === 'in_progress'
    : content.type !== 'plan' && content.partial === true

/**
 * The newest page, read when `askedAt` frames had been heard. What was heard before that is in it or no more; what was
 * heard since stays. `null`: it does not reach what is known, so that something between is missing.
 */
export function mergeNewest(known: Thread, page: Page, askedAt: number): Thread | null {
  const heardLater = known.messages.filter(({ id }) => (known.unread.get(id) ?? -1) >= askedAt)
  const read = new Set(page.messages.map(({ id }) => id))
  const firstKnown = known.messages.findIndex(({ id }) => read.has(id))
  const hadRead = known.messages.some(({ id }) => !known.unread.has(id))
  if (firstKnown === -1 && hadRead) return null
  const byId = new Map(known.messages.map((message) => [message.id, message]))
  const later = heardLater.filter(({ id }) => !read.has(id))
  const older = hadRead ? known.messages.slice(0, firstKnown).filter(({ id }) => !known.unread.has(id)) : []
  // Words before the place where known and read meet that the page has, too, are older than what is known.
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

/** A page that was on its way while more was said is behind by a few words. */
function newer(known: Message | undefined, read: Message): Message {
  const [before, after] = [known?.content, read.content]
  if (!known || before?.type !== after.type) return read
  if ((before.type !== 'text' && before.type !== 'thought') || (after.type !== 'text' && after.type !== 'thought'))
    return read
  const isBehind = after.partial === true && before.text.length > after.text.length
  if (isBehind) return { ...read, content: before }
  // The same object again: what did not change is not drawn again.
  return before.text === after.text && before.partial === after.partial ? known : read
}

export function startAnew(page: Page, heard: number): Thread {
  return { ...emptyThread, messages: page.messages, next: page.next, heard }
}

export function mergeOlder(known: Thread, page: Page): Thread {
  const have = new Set(known.messages.map(({ id }) => id))
  return {
    ...known,
    messages: [...page.messages.filter(({ id }) => !have.has(id)), ...known.messages],
    next: page.next,
  }
}

/** How many messages must be read for all that may have changed to be among them. */
export function freshLimit({ messages }: Thread): number {
  const oldest = messages.findIndex(({ content }) => isOpen(content))
  const open = oldest === -1 ? 0 : messages.length - oldest
  return Math.min(200, Math.max(20, open + 10))
}
