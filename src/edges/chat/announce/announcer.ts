import type { App } from '../../../app/app.ts'
import { createSessionPlaces } from '../../../app/chat/announce/session-place.ts'
import { isAnnouncedAgain } from '../../../app/chat/announce/where.ts'
import type { Knocks } from '../../../app/chat/knocks.ts'
import type { Posts } from '../../../app/chat/posts.ts'
import { isOf, type LoggedEvent } from '../../../app/events.ts'
import type { Follower, Guard } from '../../../app/follow.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Connected } from '../host/connections.ts'
import { createAlertPosts } from './alert-posts.ts'
import { createAskPosts } from './ask-posts.ts'
import { createDirectChats } from './direct.ts'
import { createFrames } from './frames.ts'
import { createMessagePosts } from './message-posts.ts'
import { createPut, type PostsDeps } from './places.ts'
import { createSessionPosts } from './session-posts.ts'

export type AnnouncerDeps = {
  app: App
  posts: Posts
  knocks: Pick<Knocks, 'settle'>
  clock: Clock
  log: Logger
  /** The address of the dashboard for people elsewhere; null if there is none. */
  publicUrl: string | null
}

export type Announcer = AsyncDisposable & { readonly follower: Follower }

/** Turns events into posts in the chats of one instance, and keeps them up to date. Where is decided in `app/chat`. */
export function createAnnouncer(deps: AnnouncerDeps, to: Connected): Announcer {
  const { app, knocks } = deps
  const { platform, instance } = to
  const people = { instance, idPrefix: platform.idPrefix, ids: platform.ids }
  const frames = createFrames(app, people, deps.publicUrl)
  const shared: PostsDeps = {
    ...deps,
    frames,
    put: createPut(deps),
    postedHere: async (subject) =>
      (await app.chat.posts.about(subject)).filter(({ instanceId }) => instanceId === instance.id),
  }
  const sessions = createSessionPosts(shared, createSessionPlaces(app, instance, platform))
  const inSession = { ...shared, sessions }
  const asks = createAskPosts(inSession, { people, directChat: createDirectChats(deps, to) })
  const alerts = createAlertPosts(inSession)
  const messages = createMessagePosts(inSession)

  async function sessionEnded(id: SessionId, guard: Guard): Promise<void> {
    await sessions.post(id, guard)
    const session = await frames.sessionOf(id)
    if (!session || !hasEnded(session.status)) return
    messages.close(id)
    await sessions.postEnd(session, guard)
  }

  async function modeChanged(id: SessionId, guard: Guard): Promise<void> {
    const session = await frames.sessionOf(id)
    if (!session || !isAnnouncedAgain(session)) return
    await sessions.post(id, guard)
    await asks.postOpen(id, guard)
    await alerts.postOpen(id, guard)
  }

  async function handle(event: LoggedEvent, guard: Guard): Promise<void> {
    if (event.type === 'session.started') return sessions.post(event.data.id, guard)
    if (event.type === 'session.status_changed')
      return hasEnded(event.data.to) ? sessionEnded(event.data.id, guard) : sessions.post(event.data.id, guard)
    if (event.type === 'session.mode_changed') return modeChanged(event.data.id, guard)
    if (event.type === 'session.alerted') return messages.postWarning(event.data.id, event.data.messageId, guard)
    if (event.type === 'message.added' || event.type === 'message.completed')
      return messages.post(event.data.sessionId, event.data.id, guard)
    if (isOf(event, 'alert')) return alerts.post(event, guard)
    if (isOf(event, 'ask')) {
      const isNew = event.type === 'ask.opened' || event.type === 'ask.escalated'
      if (!isNew) await knocks.settle(event.data.id)
      return asks.post(event.data.id, guard, isNew)
    }
  }

  return {
    follower: { name: `chat:${instance.id}`, scope: 'single', from: 'now', handle },
    [Symbol.asyncDispose]: messages[Symbol.asyncDispose],
  }
}
