import type { EventOf } from '../../../app/events.ts'
import { postsOfAlert } from '../../../app/chat/announce/where.ts'
import { seeing } from '../../../app/chat/seeing.ts'
import type { Guard } from '../../../app/follow.ts'
import type { Alert } from '../../../domain/alert/schema.ts'
import { attentionWords } from '../../../domain/session/attention.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { alertCard } from '../cards/session-card.ts'
import { again, inPlace, type InSession } from './places.ts'

/** The cards of alerts (R16). */
export function createAlertPosts({ app, frames, put, postedHere, sessions }: InSession) {
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
  async function textOf({ type, data }: EventOf<'alert'>): Promise<string> {
    if (type === 'alert.recovered') return 'It responded again, so the alert is closed.'
    if (type === 'alert.lapsed') return `The alert no longer applies: ${data.why}.`
    const said = await app.chat.message(data.messageId)
    return said?.content.type === 'text' ? said.content.text : attentionWords('stalled')
  }

  async function putCard(
    kind: 'alert' | 'escalation',
    alert: Alert,
    session: Session,
    text: string,
    guard: Guard,
  ): Promise<void> {
    const subject = { kind, id: alert.id }
    const [posted] = await postedHere(subject)
    const place = posted || alert.closedAt !== null ? null : await sessions.openPlace(session, guard)
    const where = posted ? again(posted) : place && inPlace(place, session, subject)
    if (!where) return
    const card = alertCard(alert, {
      source: await frames.sourceOf(session),
      text,
      closedBy: await frames.nameOf(alert.closedBy),
      mention: await frames.handleOf(session.ownerUserId),
      toEveryone: kind === 'escalation',
    })
    await put({ ...where, content: { kind: 'card', card } }, guard)
  }

  return {
    async post(event: EventOf<'alert'>, guard: Guard): Promise<void> {
      const session = await frames.sessionOf(event.data.sessionId)
      if (!session) return
      const text = await textOf(event)
      for (const alert of await alertsOf(event))
        for (const kind of postsOfAlert(alert)) await putCard(kind, alert, session, text, guard)
    },

    async postOpen(sessionId: SessionId, guard: Guard): Promise<void> {
      const session = await frames.sessionOf(sessionId)
      const alerts = await app.read.alerts(seeing, { sessionId, limit: 1 })
      const open = alerts.ok ? alerts.value.find(({ closedAt }) => closedAt === null) : undefined
      if (session && open)
        await putCard('alert', open, session, `No activity since ${open.lastActivityAt.slice(11, 16)} UTC.`, guard)
    },
  }
}
