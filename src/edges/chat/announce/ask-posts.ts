import { audienceOf } from '../../../app/chat/announce/where.ts'
import type { PeopleOf } from '../../../app/chat/identities.ts'
import { seeing } from '../../../app/chat/seeing.ts'
import type { Guard } from '../../../app/follow.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { isAdministrative, isGroupKind } from '../../../domain/ask/kinds.ts'
import type { ChatPost } from '../../../domain/chat-post/records.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { Content } from '../adapter.ts'
import { askCard } from '../cards/ask-card.ts'
import type { DirectChats } from './direct.ts'
import { again, inPlace, type InSession } from './places.ts'

/** The cards of asks: posted once where people are asked, edited wherever they are. */
export function createAskPosts(
  { app, frames, put, postedHere, sessions }: InSession,
  { people, directChat }: { people: PeopleOf; directChat: DirectChats },
) {
  async function cardOf(ask: Ask, session: Session | null, mention: string | null): Promise<Content> {
    const answeredBy = await frames.nameOf(ask.answeredBy)
    const link = frames.linkTo(`/asks/${ask.id}`)
    const source = await frames.sourceOf(session)
    return {
      kind: 'card',
      card: askCard(ask, { source, answeredBy, mention, link, workspace: session?.workspaceRoot }),
    }
  }

  /** The direct chats of those who may answer it and whom we reach here. */
  async function directTo(ask: Ask): Promise<ReadonlyMap<MessagingGroupId, UserId>> {
    const reachable = await app.chat.reachable(people, await app.recipients.candidates(ask))
    const may = await app.recipients.answerers(ask, [...new Set(reachable.map(({ userId }) => userId))])
    const chats = new Map<MessagingGroupId, UserId>()
    for (const { userId, handle } of reachable.filter((one) => may.includes(one.userId))) {
      const chat = await directChat(userId, handle)
      if (chat) chats.set(chat, userId)
    }
    return chats
  }

  /** An ask can offer more to one person than to another. */
  async function seenBy(ask: Ask, userId: UserId): Promise<Ask> {
    const standing = await app.read.standing({ kind: 'person', userId, scope: 'full' })
    const seen = await app.read.ask(standing, ask.id)
    return seen.ok ? seen.value : ask
  }

  async function postNew(ask: Ask, session: Session | null, guard: Guard, posted: readonly ChatPost[]): Promise<void> {
    const subject = { kind: 'ask', id: ask.id }
    const place = session && !isAdministrative(ask.subject.kind) ? await sessions.openPlace(session, guard) : null
    const isHeard = session !== null && (await app.chat.lastMessageTo(session.id)) !== undefined
    const audience = audienceOf(ask, session, { hasPlace: place !== null, isHeard })
    if (audience === 'place' && session && place) {
      const content = await cardOf(ask, session, await frames.handleOf(session.ownerUserId))
      return put({ ...inPlace(place, session, subject), content }, guard)
    }
    if (audience !== 'direct') return
    for (const [chatId, userId] of await directTo(ask)) {
      // Those who were asked before have their card already.
      if (posted.some((post) => post.chatId === chatId)) continue
      const content = await cardOf(await seenBy(ask, userId), session, null)
      await put({ chatId, thread: null, sessionId: ask.sessionId, subject, content }, guard)
    }
  }

  async function post(id: AskId, guard: Guard, isNew: boolean): Promise<void> {
    const found = await app.read.ask(seeing, id)
    if (!found.ok) return
    const ask = found.value
    const session = await frames.sessionOf(ask.sessionId)
    const first = (await postedHere({ kind: 'ask', id })).filter(({ part }) => part === 0)
    for (const one of first) {
      const mention = session && one.thread !== null ? await frames.handleOf(session.ownerUserId) : null
      await put({ ...again(one), content: await cardOf(ask, session, mention) }, guard)
    }
    // An escalated ask goes to more administrators.
    const isAskedMore = first.length === 0 || isGroupKind(ask.kind)
    if (isNew && isAskedMore && ask.status === 'open') await postNew(ask, session, guard, first)
  }

  return {
    post,
    async postOpen(sessionId: SessionId, guard: Guard): Promise<void> {
      const asks = await app.read.asks(seeing, { sessionId, statuses: ['open'], limit: 100 })
      for (const ask of asks.ok ? asks.value.toReversed() : []) await post(ask.id, guard, true)
    },
  }
}
