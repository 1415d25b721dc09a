import type { Executor } from '../../db/open.ts'
import { listAlerts } from '../../domain/alert/query.ts'
import type { Alert } from '../../domain/alert/schema.ts'
import { asksById, openAskHeads, type AskHead } from '../../domain/ask/query.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { byUrgency, urgencyOf, type Urgency, type WaitingItem } from '../../domain/ask/urgency.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { visibleIds } from '../../domain/session/query.ts'
import { loadSessions } from '../../domain/session/store.ts'
import { sessionCards, type SessionCard } from '../../domain/session/store-cards.ts'
import { personOf, viewerOf, type Standing } from '../../domain/user/actor.ts'
import { mayAnswerAsk, mayApproveAsk, mayNudge, mayOperate, type Grounds } from '../authorize.ts'
import { createChanges, type Changes } from './changes.ts'

export type InboxCard = Omit<SessionCard, 'plainTitle' | 'usage'>
type Common = { key: string; urgency: Urgency; since: string; mine: boolean }
export type AskEntry = Common & {
  kind: 'ask'
  ask: Ask
  mayApprove: boolean
  clipped: boolean
  changes: Changes | null
  session: InboxCard | null
}
export type AlertEntry = Common & { kind: 'alert'; alert: Alert; mayNudge: boolean; session: InboxCard }
export type Inbox = { items: (AskEntry | AlertEntry)[]; total: number }

const mostItems = 200
const mostAlerts = 10_000

type InboxHead = WaitingItem & ({ head: AskHead } | { alert: Alert })

/** What waits for a person. One query per table, however many wait; long texts are read only for shown entries. */
export function createInbox(db: Executor) {
  const changesIn = createChanges()

  return async (
    who: Standing,
    { now, adminsMayAnswer, separateRequester }: { now: number; adminsMayAnswer: boolean; separateRequester?: boolean },
  ): Promise<Inbox> => {
    const viewer = viewerOf(who)
    const asks = await openAskHeads(db, viewer)
    const statuses = ['pending', 'nudged', 'escalated'] as const
    const alerts = await listAlerts(db, viewer, { statuses, limit: mostAlerts })
    const ids = [...new Set([...asks, ...alerts].flatMap(({ sessionId }) => sessionId ?? []))]
    const sessions = new Map((await loadSessions(db, ids)).map((session) => [session.id, session]))
    const me = personOf(who.actor)
    const grounds = (id: SessionId | null): Grounds => ({
      standing: who,
      adminsMayAnswer,
      separateRequester,
      session: id === null ? undefined : sessions.get(id),
    })
    const waiting: InboxHead[] = [
      ...asks.map((head) => ({
        head,
        key: `ask:${head.id}`,
        // A viewer who has already approved is waiting for others.
        mine: mayAnswerAsk(grounds(head.sessionId), head) && !head.voters.some((voter) => voter === me),
        risk: head.riskLevel,
        dangerous: head.dangerous,
        escalated: false,
        expiresAt: head.expiresAt,
        since: head.createdAt,
      })),
      ...alerts.map((alert) => ({
        alert,
        key: `alert:${alert.id}`,
        mine: mayOperate(grounds(alert.sessionId)),
        risk: 'low' as const,
        dangerous: false,
        escalated: alert.status === 'escalated',
        expiresAt: null,
        since: alert.createdAt,
      })),
    ]
    const shown = byUrgency(waiting, now).slice(0, mostItems)
    const whole = new Map(
      (
        await asksById(
          db,
          shown.flatMap((one) => ('head' in one ? one.head.id : [])),
        )
      ).map((ask) => [ask.id, ask]),
    )
    const concerned = [...new Set(shown.flatMap((one) => ('head' in one ? one.head : one.alert).sessionId ?? []))]
    const cards = await sessionCards(db, concerned)
    const readable = await visibleIds(db, viewer, concerned)
    const cardOf = (id: SessionId | null): InboxCard | null => {
      const card = id === null ? undefined : cards.get(id)
      if (!card) return null
      const { plainTitle, usage: _usage, ...rest } = card
      // A viewer who may only answer does not see the conversation.
      return readable.has(card.id) ? rest : { ...rest, title: plainTitle }
    }
    const items = shown.flatMap((one): (AskEntry | AlertEntry)[] => {
      const { key, since, mine } = one
      const common = { key, urgency: urgencyOf(one, now), since, mine }
      if ('alert' in one) {
        const session = cardOf(one.alert.sessionId)
        const nudges = mine && mayNudge(grounds(one.alert.sessionId))
        return session ? [{ kind: 'alert', ...common, alert: one.alert, mayNudge: nudges, session }] : []
      }
      // It may have been answered since the list was read.
      const ask = whole.get(one.head.id)
      if (ask?.status !== 'open') return []
      const session = cardOf(ask.sessionId)
      const changes = changesIn(ask.id, ask.subject, session?.workspaceRoot ?? null)
      const approves = mine && mayApproveAsk(grounds(ask.sessionId), ask, ask.subject)
      return [{ kind: 'ask', ...common, ...clipAsk(ask), mayApprove: approves, changes, session }]
    })
    return { items, total: waiting.length - (shown.length - items.length) }
  }
}

const longestText = 1000
const longestList = 200

/** An ask with its long texts shortened: enough to show what it is about, small enough to send two hundred. */
function clipAsk(ask: Ask): { ask: Ask; clipped: boolean } {
  const seen = { clipped: false }
  const description = clipValue(ask.description, seen)
  // Types stay the same, so a clipped subject is still a valid subject.
  const subject = clipValue(ask.subject, seen)
  return { ask: { ...ask, description, subject }, clipped: seen.clipped }
}

function clipValue<T>(value: T, seen: { clipped: boolean }): T
function clipValue(value: unknown, seen: { clipped: boolean }): unknown {
  if (typeof value === 'string') {
    if (value.length <= longestText) return value
    seen.clipped = true
    const cut = value.slice(0, longestText)
    // Never cuts a surrogate pair.
    return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
  }
  if (Array.isArray(value)) {
    if (value.length > longestList) seen.clipped = true
    return value.slice(0, longestList).map((one: unknown) => clipValue(one, seen))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clipValue<unknown>(one, seen)]))
}
