import type { App } from '../../../app/app.ts'
import type { NewPost, Posts } from '../../../app/chat/posts.ts'
import type { SessionPlace } from '../../../app/chat/announce/session-place.ts'
import type { Guard } from '../../../app/follow.ts'
import type { ChatPost, PostSubject } from '../../../domain/chat-post/records.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Frames } from './frames.ts'
import type { SessionPosts } from './session-posts.ts'

/** What the posts about one subject need. */
export type PostsDeps = {
  app: App
  clock: Clock
  log: Logger
  frames: Frames
  put: Put
  /** Our posts about something, on this instance. */
  postedHere(subject: PostSubject): Promise<ChatPost[]>
}
export type InSession = PostsDeps & { sessions: Pick<SessionPosts, 'openPlace'> }

export type Put = (post: NewPost, guard: Guard) => Promise<void>

export const createPut =
  ({ posts, log }: { posts: Posts; log: Logger }): Put =>
  async (post, guard) => {
    const done = await posts.put(post, guard)
    if (!done.ok) log.warn({ subject: post.subject, error: done.fault.code }, 'not posted')
  }

export const inPlace = ({ chatId, thread }: SessionPlace, { id }: Session, subject: PostSubject) => ({
  chatId,
  thread,
  sessionId: id,
  subject,
})

/** Where it was posted before. */
export const again = ({ chatId, thread, sessionId, subject }: ChatPost) => ({ chatId, thread, sessionId, subject })
