import type { Message, MessageContent, MessageRole } from '../../../../src/domain/message/schema.ts'
import type { LiveFrame } from '../../../api/stream.ts'
import type { Thread } from './thread.ts'

type Heard = { sessionId: string; messageId: string; role: MessageRole }
type Chunk = Heard & { type: 'text' | 'thought'; at: number; text: string }
type Updated = Heard & { content: MessageContent }

/** What is told live, put into the conversation; `now` dates what begins with it. */
export function applyFrame(thread: Thread, frame: LiveFrame, sessionId: string, now: string): Thread {
  const data = frame.data as Heard | null
  if (data?.sessionId !== sessionId) return thread
  if (frame.type === 'message.chunk') return applyChunk(thread, data as Chunk, now)
  return frame.type === 'message.updated' ? applyUpdated(thread, data as Updated, now) : thread
}

export function applyChunk(thread: Thread, chunk: Chunk, now: string): Thread {
  const index = thread.messages.findLastIndex(({ id }) => id === chunk.messageId)
  const known = thread.messages[index]
  const { type, at, text } = chunk
  if (!known) {
    if (at > 0) return { ...thread, heard: thread.heard + 1, gap: true }
    return begin(thread, chunk, { type, text, partial: true }, now)
  }
  const { content } = known
  if (content.type !== 'text' && content.type !== 'thought') return thread
  if (at > content.text.length) return { ...thread, heard: thread.heard + 1, gap: true }
  // What lies before the known length is known.
  const more = text.slice(content.text.length - at)
  if (more === '') return { ...thread, heard: thread.heard + 1 }
  return replace(thread, index, { ...known, content: { ...content, text: content.text + more } })
}

export function applyUpdated(thread: Thread, { content, ...about }: Updated, now: string): Thread {
  const index = thread.messages.findLastIndex(({ id }) => id === about.messageId)
  const known = thread.messages[index]
  return known ? replace(thread, index, { ...known, content }) : begin(thread, about, content, now)
}

function replace(thread: Thread, index: number, message: Message): Thread {
  return { ...thread, heard: thread.heard + 1, messages: thread.messages.with(index, message) }
}

function begin(thread: Thread, about: Heard, content: MessageContent, timestamp: string): Thread {
  const id = about.messageId as Message['id']
  const message: Message = {
    id,
    sessionId: about.sessionId as Message['sessionId'],
    role: about.role,
    content,
    timestamp,
  }
  return {
    ...thread,
    heard: thread.heard + 1,
    messages: [...thread.messages, message],
    unread: new Map(thread.unread).set(id, thread.heard),
  }
}
