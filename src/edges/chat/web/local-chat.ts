import type { App } from '../../../app/app.ts'
import type { Posts } from '../../../app/chat/posts.ts'
import type { ChatInstance } from '../../../domain/chat-instance/schema.ts'
import { readWebChatId } from '../../../domain/chat/web-chat.ts'
import { newId } from '../../../lib/id.ts'
import type { LocalChat } from '../adapter.ts'

/** What the web chat needs of this server instead of a platform. */
export const createLocalChat = (
  { app, posts }: { app: Pick<App, 'chat' | 'live'>; posts: Posts },
  instance: Pick<ChatInstance, 'name' | 'platform'>,
): LocalChat => ({
  changed: (chat) => app.live.publish({ sessionId: null, type: 'web_chat.changed', data: readWebChatId(chat) }),
  async add(chat, content) {
    const known = await app.chat.chatAt(instance, chat)
    if (!known) return { kind: 'gone', error: 'the chat was removed' }
    const subject = { kind: 'private', id: newId() }
    const done = await posts.put({ chatId: known.id, thread: null, sessionId: null, subject, content })
    return done.ok ? { kind: 'sent', messageId: subject.id } : { kind: 'permanent', error: done.fault.message }
  },
})
