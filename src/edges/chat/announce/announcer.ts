import { basename } from 'node:path'
import type { App } from '../../../app/app.ts'
import { isOf, type EventOf, type LoggedEvent } from '../../../app/events.ts'
import type { Follower, Guard } from '../../../app/follow.ts'
import type { Knocks } from '../../../app/chat/knocks.ts'
import type { NewPost, Posts } from '../../../app/chat/posts.ts'
import type { Alert } from '../../../domain/alert/schema.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { isAdministrative } from '../../../domain/ask/subject.ts'
import { sessionOfThread, type ChatPost, type PostSubject } from '../../../domain/chat-post/records.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import type { MessageId } from '../../../domain/message/schema.ts'
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
  const people = { instance, idPrefix: platform.idPrefix, ids: platform.ids }
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
    return (await app.chat.reachable(people)).find((one) => one.userId === userId)?.handle ?? null
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

  const postedHere = async (subject: PostSubject): Promise<ChatPost | undefined> =>
    (await app.chat.posts.about(subject)).find(({ instanceId }) => instanceId === instance.id)

  /** Where something new about a session goes. A thread of its own begins with the card of the session. */
  async function openPlace(session: Session, guard: Guard): Promise<SessionPlace | null> {
    const place = await placeOf(session)
    const subject = { kind: 'session', id: session.id }
    if (place && sessionOfThread(place.thread) === session.id && !(await postedHere(subject)))
      await put({ ...inPlace(place, session, subject), content: await cardOfSession(session) }, guard)
    return place
  }

  async function announceSession(id: SessionId, guard: Guard, ended: boolean): Promise<void> {
    const session = await sessionOf(id)
    if (!session) return
    const subject = { kind: 'session', id }
    const posted = await postedHere(subject)
    const place = await placeOf(session)
    const where = posted ? again(posted) : place && inPlace(place, session, subject)
    // What is there already is kept up to date, also after the session went local.
    if (where) await put({ ...where, content: await cardOfSession(session) }, guard)
    if (!ended || !hasEnded(session.status)) return
    messages.close(id)
    if (place)
      await put({ ...inPlace(place, session, { kind: 'summary', id }), content: await summaryOf(session) }, guard)
  }

  /** The mode takes effect at once: what is open is announced where it was not yet (R14). */
  async function announceMode(id: SessionId, guard: Guard): Promise<void> {
    const session = await sessionOf(id)
    if (!session || session.mode === 'local' || hasEnded(session.status)) return
    await announceSession(id, guard, false)
    const asks = await app.read.asks(seeing, { sessionId: id, statuses: ['open'], limit: 100 })
    for (const ask of asks.ok ? asks.value.toReversed() : []) await announceAsk(ask.id, guard, true)
    const alerts = await app.read.alerts(seeing, { sessionId: id, limit: 1 })
    const open = alerts.ok ? alerts.value.find(({ closedAt }) => closedAt === null) : undefined
    if (open)
      await putAlert('alert', open, session, `No activity since ${open.lastActivityAt.slice(11, 16)} UTC.`, guard)
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
    const place = session && !isAdministrative(ask.subject.kind) ? await openPlace(session, guard) : null
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
    const reachable = await app.chat.reachable(people)
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

  /** A sign of life closes the open alert of its session without naming it. */
  async function alertsOf({ data }: EventOf<'alert'>): Promise<Alert[]> {
    if ('id' in data && data.id !== undefined) {
      const alert = await app.read.alert(seeing, data.id)
      return alert.ok ? [alert.value] : []
    }
    const newest = await app.read.alerts(seeing, { sessionId: data.sessionId, limit: 5 })
    return newest.ok ? newest.value.filter(({ status }) => status === 'self_recovered') : []
  }

  /** What the last step was. */
  async function alertText({ type, data }: EventOf<'alert'>): Promise<string> {
    if (type === 'alert.recovered') return 'It responded again, so the alert is closed.'
    if (type === 'alert.lapsed') return `The alert no longer applies: ${data.why}.`
    const said = await app.chat.message(data.messageId)
    return said?.content.type === 'text' ? said.content.text : attentionWords('stalled')
  }

  async function announceAlert(event: EventOf<'alert'>, guard: Guard): Promise<void> {
    const session = await sessionOf(event.data.sessionId)
    if (!session) return
    const text = await alertText(event)
    for (const alert of await alertsOf(event)) {
      await putAlert('alert', alert, session, text, guard)
      // Nobody is notified of an edit: an escalation is a message of its own.
      if (alert.escalatedAt !== null) await putAlert('escalation', alert, session, text, guard)
    }
  }

  async function putAlert(
    kind: 'alert' | 'escalation',
    alert: Alert,
    session: Session,
    text: string,
    guard: Guard,
  ): Promise<void> {
    const subject = { kind, id: alert.id }
    const posted = await postedHere(subject)
    const place = posted || alert.closedAt !== null ? null : await openPlace(session, guard)
    const where = posted ? again(posted) : place && inPlace(place, session, subject)
    if (!where) return
    const card = alertCard(alert, {
      source: await sourceOf(session),
      text,
      closedBy: await nameOf(alert.closedBy),
      mention: await handleOf(session.ownerUserId),
      toEveryone: kind === 'escalation',
    })
    await put({ ...where, content: { kind: 'card', card } }, guard)
  }

  // Everything else -----------------------------------------------------------------------------------------------

  async function announceMessage(event: EventOf<'message'>, guard: Guard): Promise<void> {
    const { id, sessionId } = event.data
    const session = await sessionOf(sessionId)
    const place = session && (await openPlace(session, guard))
    if (session && place)
      await messages.post(id, inPlace(place, session, { kind: 'message', id }), place.verbose, guard)
  }

  /** Something about its session that a person should know, such as a policy with faults. */
  async function announceWarning(id: SessionId, messageId: MessageId, guard: Guard): Promise<void> {
    const session = await sessionOf(id)
    const said = await app.chat.message(messageId)
    const place = session && said?.content.type === 'text' ? await openPlace(session, guard) : null
    if (!session || !place || said?.content.type !== 'text') return
    const content = { kind: 'text' as const, text: `⚠️ ${said.content.text}` }
    await put({ ...inPlace(place, session, { kind: 'message', id: messageId }), content }, guard)
  }

  async function handle(event: LoggedEvent, guard: Guard): Promise<void> {
    if (event.type === 'session.started') return announceSession(event.data.id, guard, false)
    if (event.type === 'session.status_changed') return announceSession(event.data.id, guard, hasEnded(event.data.to))
    if (event.type === 'session.mode_changed') return announceMode(event.data.id, guard)
    if (event.type === 'session.alerted') return announceWarning(event.data.id, event.data.messageId, guard)
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
