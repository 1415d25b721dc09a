import type { App } from '../../../app/app.ts'
import type { Guard } from '../../../app/follow.ts'
import type { NewPost } from '../../../app/chat/posts.ts'
import { isOpen, type Message, type MessageId } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'

type Deps = {
  app: Pick<App, 'chat' | 'live'>
  clock: Clock
  log: Logger
  put(post: NewPost, guard: Guard): Promise<void>
}

type Growing = { where: Omit<NewPost, 'content'>; guard: Guard; timer: Disposable }

/** Platforms allow about one edit a second for all of a chat. */
const editEveryMs = 2000

const marks = { info: '', success: '✅ ', warning: '⚠️ ', error: '❌ ' } as const

/** The text that a chat gets; null if this kind of message is not for chats. */
function textOf({ role, content }: Message, verbose: boolean): string | null {
  if (content.type === 'text' && role === 'agent') {
    const text = content.text.trim()
    return text === '' ? null : `${marks[content.level ?? 'info']}${text}`
  }
  if (!verbose || content.type !== 'tool') return null
  const state =
    content.status === undefined || content.status === 'completed' ? '' : ` (${content.status.replace('_', ' ')})`
  return `⚙️ ${content.title ?? content.tool}${state}`
}

/** What agents say. In verbose chats a message is posted when it begins, and edited while it grows. */
export function createMessagePosts({ app, clock, log, put }: Deps) {
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
    const [message = stored] = app.live.overlay(stored.sessionId, [stored])
    const open = isOpen(message.content)
    const text = textOf(message, verbose)
    if (text === null || (open && !verbose)) return open
    await put(
      { ...where, content: { kind: 'text', text: open && message.content.type === 'text' ? `${text} …` : text } },
      guard,
    )
    return open
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
    async post(id: MessageId, where: Omit<NewPost, 'content'>, verbose: boolean, guard: Guard): Promise<void> {
      await queue.run(async () => {
        drop(id)
        if ((await write(id, where, verbose, guard)) && verbose) follow(id, where, guard)
      })
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
