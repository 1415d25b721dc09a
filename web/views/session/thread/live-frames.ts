import type { Message, MessageContent, MessageRole } from '../../../../src/domain/message/schema.ts'
import type { LiveData } from '../../../api/stream.ts'
import type { Thread } from './thread.ts'

type MessageFrame = { sessionId: string; messageId: string; role: MessageRole }
type MessageChunk = MessageFrame & { type: 'text' | 'thought'; at: number; text: string }
type MessageUpdate = MessageFrame & { content: MessageContent }

/** Merges live messages into the conversation; `now` is the time of new ones. */
export function applyFrame(thread: Thread, frame: LiveData, sessionId: string, now: string): Thread {
  const data = frame.data as MessageFrame | null
  if (data?.sessionId !== sessionId) return thread
  if (frame.type === 'message.chunk') return applyChunk(thread, data as MessageChunk, now)
  return frame.type === 'message.updated' ? applyUpdated(thread, data as MessageUpdate, now) : thread
}

export function applyChunk(thread: Thread, chunk: MessageChunk, now: string): Thread {
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
  // Text before the known length is already known.
  const more = text.slice(content.text.length - at)
  if (more === '') return { ...thread, heard: thread.heard + 1 }
  return replace(thread, index, { ...known, content: { ...content, text: content.text + more } })
}

export function applyUpdated(thread: Thread, { content, ...about }: MessageUpdate, now: string): Thread {
  const index = thread.messages.findLastIndex(({ id }) => id === about.messageId)
  const known = thread.messages[index]
  return known ? replace(thread, index, { ...known, content }) : begin(thread, about, content, now)
}

function replace(thread: Thread, index: number, message: Message): Thread {
  return { ...thread, heard: thread.heard + 1, messages: thread.messages.with(index, message) }
}

function begin(thread: Thread, about: MessageFrame, content: MessageContent, timestamp: string): Thread {
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
