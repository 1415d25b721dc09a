import type { SessionPlace } from '../../../app/chat/announce/session-place.ts'
import { seeing } from '../../../app/chat/seeing.ts'
import type { Guard } from '../../../app/follow.ts'
import { sessionOfThread } from '../../../domain/chat-post/records.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { Content } from '../adapter.ts'
import { sessionCard, summaryCard } from '../cards/session-card.ts'
import { again, inPlace, type PostsDeps } from './places.ts'

export type SessionPosts = ReturnType<typeof createSessionPosts>

/** The card that a thread begins with, kept up to date, and the summary at the end. */
export function createSessionPosts(
  { app, frames, put, postedHere }: PostsDeps,
  placeOf: (session: Session) => Promise<SessionPlace | null>,
) {
  const cardOf = async (session: Session): Promise<Content> => ({
    kind: 'card',
    card: sessionCard(session, {
      source: await frames.sourceOf(session),
      owner: await frames.nameOf(`user:${session.ownerUserId}`),
      link: frames.linkTo(`/sessions/${session.id}`),
    }),
  })

  async function summaryOf(session: Session): Promise<Content> {
    const asks = await app.read.asks(seeing, { sessionId: session.id, limit: 100 })
    const files = await app.read.sessionFiles(seeing, session.id)
    const end = session.terminatedAt ?? session.updatedAt
    const done = {
      seconds: Math.max(0, Math.round((Date.parse(end) - Date.parse(session.createdAt)) / 1000)),
      messages: await app.chat.messageCount(session.id),
      asks: asks.ok ? asks.value.length : 0,
      files: files.ok ? files.value.map(({ path }) => path) : [],
    }
    const frame = { source: await frames.sourceOf(session), link: frames.linkTo(`/sessions/${session.id}`) }
    return { kind: 'card', card: summaryCard(session, done, frame) }
  }

  return {
    /** Where something new about a session goes. A thread of its own begins with the card of the session. */
    async openPlace(session: Session, guard: Guard): Promise<SessionPlace | null> {
      const place = await placeOf(session)
      const subject = { kind: 'session', id: session.id }
      const isOwnThread = place !== null && sessionOfThread(place.thread) === session.id
      if (isOwnThread && (await postedHere(subject)).length === 0)
        await put({ ...inPlace(place, session, subject), content: await cardOf(session) }, guard)
      return place
    },

    async post(id: SessionId, guard: Guard): Promise<void> {
      const session = await frames.sessionOf(id)
      if (!session) return
      const subject = { kind: 'session', id }
      const [posted] = await postedHere(subject)
      const place = await placeOf(session)
      const where = posted ? again(posted) : place && inPlace(place, session, subject)
      // What is there already is kept up to date, also after the session went local.
      if (where) await put({ ...where, content: await cardOf(session) }, guard)
    },

    async postEnd(session: Session, guard: Guard): Promise<void> {
      const place = await placeOf(session)
      const subject = { kind: 'summary', id: session.id }
      if (place) await put({ ...inPlace(place, session, subject), content: await summaryOf(session) }, guard)
    },
  }
}
