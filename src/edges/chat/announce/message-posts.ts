import { isForChat } from '../../../app/chat/announce/where.ts'
import type { NewPost } from '../../../app/chat/posts.ts'
import type { Guard } from '../../../app/follow.ts'
import { isOpen, type Message, type MessageId } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { inPlace, type InSession } from './places.ts'

type Growing = { where: Omit<NewPost, 'content'>; guard: Guard; timer: Disposable }

/** Platforms allow about one edit a second for all of a chat. */
const editEveryMs = 2000

const marks = { info: '', success: '✅ ', warning: '⚠️ ', error: '❌ ' } as const

function textOf({ content }: Message): string {
  if (content.type === 'text')
    return `${marks[content.level ?? 'info']}${content.text.trim()}${isOpen(content) ? ' …' : ''}`
  if (content.type !== 'tool') return ''
  const state =
    content.status === undefined || content.status === 'completed' ? '' : ` (${content.status.replace('_', ' ')})`
  return `⚙️ ${content.title ?? content.tool}${state}`
}

/** What agents say. In verbose chats a message is posted when it begins, and edited while it grows. */
export function createMessagePosts({ app, clock, log, frames, put, sessions }: InSession) {
  const growing = new Map<MessageId, Growing>()
  const queue = createSerialQueue()
  let stopped = false

  async function write(
    id: MessageId,
    where: Omit<NewPost, 'content'>,
    verbose: boolean,
    guard: Guard,
  ): Promise<boolean> {
    const stored = await app.chat.message(id)
    if (!stored) return false
    // Others of the session grow too: only this one is meant.
    const message = app.live.overlay(stored.sessionId, [stored]).find((one) => one.id === id) ?? stored
    if (isForChat(message, verbose)) await put({ ...where, content: { kind: 'text', text: textOf(message) } }, guard)
    return isOpen(message.content)
  }

  function follow(id: MessageId, where: Omit<NewPost, 'content'>, guard: Guard): void {
    if (stopped) return
    const timer = clock.at(clock.now() + editEveryMs, () => {
      void queue.run(async () => {
        if (growing.get(id)?.timer !== timer) return
        const open = await write(id, where, true, guard).catch((error: unknown) => {
          log.debug({ message: id, error: String(error) }, 'a growing message was not posted')
          return true
        })
        if (open) follow(id, where, guard)
        else growing.delete(id)
      })
    })
    growing.set(id, { where, guard, timer })
  }

  function drop(id: MessageId): void {
    growing.get(id)?.timer[Symbol.dispose]()
    growing.delete(id)
  }

  return {
    async post(sessionId: SessionId, id: MessageId, guard: Guard): Promise<void> {
      const session = await frames.sessionOf(sessionId)
      const place = session && (await sessions.openPlace(session, guard))
      if (!session || !place) return
      const where = inPlace(place, session, { kind: 'message', id })
      await queue.run(async () => {
        drop(id)
        if ((await write(id, where, place.verbose, guard)) && place.verbose) follow(id, where, guard)
      })
    },
    /** Something about its session that a person should know, such as a policy with faults. */
    async postWarning(sessionId: SessionId, id: MessageId, guard: Guard): Promise<void> {
      const session = await frames.sessionOf(sessionId)
      const said = await app.chat.message(id)
      const place = session && said?.content.type === 'text' ? await sessions.openPlace(session, guard) : null
      if (!session || !place || said?.content.type !== 'text') return
      const content = { kind: 'text' as const, text: `⚠️ ${said.content.text}` }
      await put({ ...inPlace(place, session, { kind: 'message', id }), content }, guard)
    },
    /** The session has ended: nothing of it grows any more. */
    close(sessionId: SessionId): void {
      for (const [id, { where }] of growing) if (where.sessionId === sessionId) drop(id)
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      for (const id of growing.keys()) drop(id)
      await queue.idle()
    },
  }
}
