import { basename } from 'node:path'
import type { App } from '../../../app/app.ts'
import { isOf, type EventOf, type LoggedEvent } from '../../../app/events.ts'
import type { Follower, Guard } from '../../../app/follow.ts'
import type { Knocks } from '../../../app/chat/knocks.ts'
import type { NewPost, Posts } from '../../../app/chat/posts.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { isAdministrative } from '../../../domain/ask/subject.ts'
import type { ChatPost } from '../../../domain/chat-post/records.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import { attentionWords } from '../../../domain/session/attention.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Content } from '../adapter.ts'
import { alertCard, sessionCard, summaryCard } from '../cards/session-card.ts'
import { askCard } from '../cards/ask-card.ts'
import type { Connected } from '../host/connections.ts'
import { createDirectChats } from './direct.ts'
import { createMessagePosts } from './message-posts.ts'
import { createSessionPlaces, seeing, type SessionPlace } from './session-place.ts'

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

/** Posts what happens to the chats of one instance, and keeps what it posted up to date. */
export function createAnnouncer(deps: AnnouncerDeps, to: Connected): Announcer {
  const { app, posts, knocks, log, publicUrl } = deps
  const { platform, instance } = to
  const placeOf = createSessionPlaces(app, to)
  const directChat = createDirectChats({ app, log }, to)

  async function put(post: NewPost, guard: Guard): Promise<void> {
    const done = await posts.put(post, guard)
    if (!done.ok) log.warn({ subject: post.subject, error: done.fault.code }, 'not posted')
  }
  const messages = createMessagePosts({ ...deps, put })

  const sessionOf = async (id: SessionId | null): Promise<Session | null> => {
    const found = id === null ? null : await app.read.session(seeing, id)
    return found?.ok ? found.value : null
  }

  async function sourceOf(session: Session | null): Promise<string> {
    if (!session) return 'Signalbox'
    const repo = session.repoId === null ? null : await app.read.repo(seeing, session.repoId)
    const place = repo?.ok ? repo.value.name : basename(session.workspaceRoot) || session.workspaceRoot
    return `${session.agent ?? session.agentProvider ?? 'agent'} in ${place}`
  }

  async function nameOf(by: string | null): Promise<string | null> {
    const [kind, id = ''] = (by ?? '').split(':')
    if (by === null) return null
    if (kind === 'policy') return 'a rule'
    if (kind !== 'user') return 'Signalbox'
    const user = await app.read.user(seeing, id as UserId)
    return user.ok ? user.value.displayName : null
  }

  const linkTo = (path: string): string | null => (publicUrl === null ? null : new URL(path, publicUrl).href)

  async function handleOf(userId: UserId): Promise<string | null> {
    return (await app.chat.reachable(platform.idPrefix)).find((one) => one.userId === userId)?.handle ?? null
  }

  // Sessions ------------------------------------------------------------------------------------------------------

  const cardOfSession = async (session: Session): Promise<Content> => ({
    kind: 'card',
    card: sessionCard(session, {
      source: await sourceOf(session),
      owner: await nameOf(`user:${session.ownerUserId}`),
      link: linkTo(`/sessions/${session.id}`),
    }),
  })

  const inPlace = ({ chatId, thread }: SessionPlace, { id }: Session, subject: NewPost['subject']) => ({
    chatId,
    thread,
    sessionId: id,
    subject,
  })

  async function announceSession(id: SessionId, guard: Guard, ended: boolean): Promise<void> {
    const session = await sessionOf(id)
    const place = session && (await placeOf(session))
    if (!session || !place) return
    const subject = { kind: 'session', id }
    const posted = (await app.chat.posts.about(subject)).find(({ instanceId }) => instanceId === instance.id)
    const where = posted ? again(posted) : inPlace(place, session, subject)
    await put({ ...where, content: await cardOfSession(session) }, guard)
    if (ended && hasEnded(session.status)) {
      messages.close(id)
      await put({ ...inPlace(place, session, { kind: 'summary', id }), content: await summaryOf(session) }, guard)
    }
  }

  async function summaryOf(session: Session): Promise<Content> {
    const detail = await app.read.sessionDetail(seeing, session.id)
    const asks = await app.read.asks(seeing, { sessionId: session.id, limit: 100 })
    const files = await app.read.sessionFiles(seeing, session.id)
    const end = session.terminatedAt ?? session.updatedAt
    const done = {
      seconds: Math.max(0, Math.round((Date.parse(end) - Date.parse(session.createdAt)) / 1000)),
      messages: detail.ok ? detail.value.messages.length : 0,
      asks: asks.ok ? asks.value.length : 0,
      files: files.ok ? files.value.map(({ path }) => path) : [],
    }
    const frame = { source: await sourceOf(session), link: linkTo(`/sessions/${session.id}`) }
    return { kind: 'card', card: summaryCard(session, done, frame) }
  }

  // Asks ----------------------------------------------------------------------------------------------------------

  async function cardOfAsk(ask: Ask, session: Session | null, mention: string | null): Promise<Content> {
    const answeredBy = await nameOf(ask.answeredBy)
    const link = linkTo(`/asks/${ask.id}`)
    const frame = { source: await sourceOf(session), answeredBy, mention, link, workspace: session?.workspaceRoot }
    return { kind: 'card', card: askCard(ask, frame) }
  }

  async function announceAsk(id: AskId, guard: Guard, isNew: boolean): Promise<void> {
    const found = await app.read.ask(seeing, id)
    if (!found.ok) return
    const ask = found.value
    const session = await sessionOf(ask.sessionId)
    const subject = { kind: 'ask', id }
    const posted = (await app.chat.posts.about(subject)).filter(({ instanceId }) => instanceId === instance.id)
    const first = posted.filter(({ part }) => part === 0)
    for (const post of first) {
      const mention = session ? await handleOf(session.ownerUserId) : null
      await put(
        { ...again(post), content: await cardOfAsk(ask, session, post.thread === null ? null : mention) },
        guard,
      )
    }
    if (isNew && first.length === 0 && ask.status === 'open') await announceNew(ask, session, guard)
  }

  async function announceNew(ask: Ask, session: Session | null, guard: Guard): Promise<void> {
    const subject = { kind: 'ask', id: ask.id }
    const place = session && !isAdministrative(ask.subject.kind) ? await placeOf(session) : null
    if (session && place) {
      const content = await cardOfAsk(ask, session, await handleOf(session.ownerUserId))
      return put({ ...inPlace(place, session, subject), content }, guard)
    }
    if (session && (session.mode === 'local' || hasChat(session)) && !isAdministrative(ask.subject.kind)) return
    for (const chatId of await directTo(await answerersOf(ask)))
      await put(
        { chatId, thread: null, sessionId: ask.sessionId, subject, content: await cardOfAsk(ask, session, null) },
        guard,
      )
  }

  async function answerersOf(ask: Ask): Promise<{ userId: UserId; handle: string }[]> {
    const reachable = await app.chat.reachable(platform.idPrefix)
    const may = await app.recipients.answerers(ask, [...new Set(reachable.map(({ userId }) => userId))])
    return reachable.filter(({ userId }) => may.includes(userId))
  }

  async function directTo(people: readonly { userId: UserId; handle: string }[]): Promise<MessagingGroupId[]> {
    const chats = new Set<MessagingGroupId>()
    for (const { userId, handle } of people) {
      const chat = await directChat(userId, handle)
      if (chat) chats.add(chat)
    }
    return [...chats]
  }

  // Alerts --------------------------------------------------------------------------------------------------------

  async function announceAlert(event: EventOf<'alert'>, guard: Guard): Promise<void> {
    const id = 'id' in event.data ? event.data.id : undefined
    const alert = id === undefined ? null : await app.read.alert(seeing, id)
    const session = await sessionOf(event.data.sessionId)
    const place = session && (await placeOf(session))
    if (!alert?.ok || !session || !place) return
    const said = 'messageId' in event.data ? await app.chat.message(event.data.messageId) : undefined
    const text = said?.content.type === 'text' ? said.content.text : attentionWords('stalled')
    const frame = {
      source: await sourceOf(session),
      text,
      closedBy: await nameOf(alert.value.closedBy),
      mention: await handleOf(session.ownerUserId),
    }
    const subject = { kind: 'alert', id: alert.value.id }
    const posted = (await app.chat.posts.about(subject)).find(({ instanceId }) => instanceId === instance.id)
    const where = posted ? again(posted) : inPlace(place, session, subject)
    await put({ ...where, content: { kind: 'card', card: alertCard(alert.value, frame) } }, guard)
  }

  // Everything else -----------------------------------------------------------------------------------------------

  async function announceMessage(event: EventOf<'message'>, guard: Guard): Promise<void> {
    const { id, sessionId } = event.data
    const session = await sessionOf(sessionId)
    const place = session && (await placeOf(session))
    if (session && place)
      await messages.post(id, inPlace(place, session, { kind: 'message', id }), place.verbose, guard)
  }

  async function handle(event: LoggedEvent, guard: Guard): Promise<void> {
    if (event.type === 'session.started') return announceSession(event.data.id, guard, false)
    if (event.type === 'session.status_changed') return announceSession(event.data.id, guard, hasEnded(event.data.to))
    if (event.type === 'message.added' || event.type === 'message.completed') return announceMessage(event, guard)
    if (isOf(event, 'alert')) return announceAlert(event, guard)
    if (isOf(event, 'ask')) {
      if (event.type !== 'ask.opened') await knocks.settle(event.data.id)
      return announceAsk(event.data.id, guard, event.type === 'ask.opened')
    }
  }

  return {
    follower: { name: `chat:${instance.id}`, scope: 'single', from: 'now', handle },
    [Symbol.asyncDispose]: messages[Symbol.asyncDispose],
  }
}

/** It is in a chat of another instance, or will be: nobody is told twice. */
const hasChat = ({ messagingGroupId, agentGroupId, channelId }: Session): boolean =>
  messagingGroupId !== null || agentGroupId !== null || channelId !== null

const again = ({ chatId, thread, sessionId, subject }: ChatPost) => ({ chatId, thread, sessionId, subject })
