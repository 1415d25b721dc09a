import type { AlertId } from '../../domain/alert/schema.ts'
import { isGrave } from '../../domain/ask/about.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { Destination, NewOutboxItem, MessageSubject } from '../../domain/outbox/records.ts'
import { loudnessOf } from '../../domain/push/loudness.ts'
import { noticeOf, type Notice } from '../../domain/push/notice.ts'
import type { Addressee } from '../../domain/push/records.ts'
import type { ScheduleId } from '../../domain/schedule/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { OperationalMode, Session } from '../../domain/session/schema.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { UserId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { adminsOfAnything } from '../../domain/user/query.ts'
import { loadDelegates, loadSession } from '../../domain/session/store.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import type { Settings } from '../../domain/slice/context.ts'
import { isOf, type LoggedEvent } from '../events.ts'
import type { App } from '../app.ts'
import { mayAnswerAsk, mayApproveAsk, mayOperate, type Grounds } from '../authorize.ts'

/** A way to reach people. */
export type Channel = {
  /** The name of its sender. */
  readonly sender: string
  /** Whether sessions of this mode are announced there (R14). */
  announces(mode: OperationalMode): boolean
  /** Who can be reached there, with their settings. */
  addressees(now: string): Promise<readonly Addressee[]>
}

export type RecipientsDeps = {
  app: Pick<App, 'read' | 'recipients' | 'outbox'>
  clock: Clock
  /** Whether this person is viewing the session right now. */
  isLooking(userId: UserId, sessionId: SessionId | null): boolean
}

const seeing = systemStanding('recipients')

/**
 * A turn may be processed after its session stopped. The person who paused it knows, and an end has its own notification.
 * A session that was lost or closed as idle since then has none, so its turn is announced.
 */
const isToldByItself = ({ status, metadata }: Session): boolean =>
  status === 'paused' || (hasEnded(status) && metadata['reason'] !== 'idle_timeout')

/** Finds who gets an event through a channel, and where: one item per destination. */
export type FindRecipients = (event: LoggedEvent) => Promise<NewOutboxItem[]>

export function createRecipients({ app, clock, isLooking }: RecipientsDeps, channel: Channel): FindRecipients {
  const { outbox, read, recipients } = app
  const { sender } = channel

  /** The people to notify and the subject; null if there are none. */
  async function toTell(notice: Notice, event: LoggedEvent, people: readonly Addressee[]) {
    const all = people.map(({ userId }) => userId)
    if (notice.kind === 'ask') {
      const ask = await read.ask(seeing, (notice.id ?? '') as AskId)
      if (!ask.ok || ask.value.status !== 'open') return null
      const { sessionId } = ask.value
      if (sessionId !== null && !(await isAnnounced(sessionId))) return null
      const subject: MessageSubject = { kind: 'ask', id: ask.value.id, sessionId }
      const asked = await recipients.answerers(ask.value, all)
      // Those who were asked before know already.
      const told = event.type === 'ask.escalated' ? await outbox.told(sender, 'ask', { id: ask.value.id }) : []
      const knows = (userId: UserId) =>
        people.some(
          (one) =>
            one.userId === userId &&
            one.destinations.some(({ destination }) => told.some((where) => where.destination === destination)),
        )
      return { subject, grave: isGrave(ask.value), users: asked.filter((userId) => !knows(userId)) }
    }
    if (notice.kind === 'alert') {
      const alert = await read.alert(seeing, (notice.id ?? '') as AlertId)
      if (!alert.ok || alert.value.closedAt !== null) return null
      const { sessionId } = alert.value
      if (!(await isAnnounced(sessionId))) return null
      const subject: MessageSubject = { kind: 'alert', id: alert.value.id, sessionId }
      return { subject, grave: false, users: await recipients.operators(sessionId, all) }
    }
    if (notice.kind === 'schedule') {
      const schedule = await read.schedule(seeing, (notice.id ?? '') as ScheduleId)
      if (!schedule.ok) return null
      const subject: MessageSubject = { kind: 'schedule', id: schedule.value.id, sessionId: null }
      return { subject, grave: false, users: [schedule.value.ownerUserId] }
    }
    const sessionId = notice.id as SessionId | null
    if (sessionId === null || !(await isAnnounced(sessionId)) || (notice.turn && (await goesOn(sessionId)))) return null
    // The person who ended it already knows.
    const users = (await recipients.holders(sessionId)).filter((userId) => event.actor !== `user:${userId}`)
    return { subject: { kind: 'session', id: sessionId, sessionId } satisfies MessageSubject, grave: false, users }
  }

  async function isAnnounced(id: SessionId): Promise<boolean> {
    const session = await read.session(seeing, id)
    return session.ok && channel.announces(session.value.mode)
  }

  /** The next turn is about to begin or someone is being asked, so the turn's end is not news. */
  async function goesOn(id: SessionId): Promise<boolean> {
    const session = await read.session(seeing, id)
    if (!session.ok || session.value.waiting || isToldByItself(session.value)) return true
    const { sent, next } = await read.headOfQueue(id)
    return sent !== undefined || next !== undefined
  }

  async function itemsFor(notice: Notice, event: LoggedEvent): Promise<NewOutboxItem[]> {
    const { type } = notice
    // The time of the event, not of its processing, so that late notices still count as old.
    const { at, id: eventId } = event
    const itemFor = ({ destination, lane }: Destination, subject: MessageSubject): NewOutboxItem => {
      return { sender, destination, lane, key: eventId, eventId, type, subject, at }
    }
    if (type === 'gone') {
      const about = notice.id === null ? { sessionId: event.sessionId ?? ('' as SessionId) } : { id: notice.id }
      const told = await outbox.told(sender, notice.kind, about)
      return told.map((where) => itemFor(where, where.subject))
    }
    const people = await channel.addressees(iso(clock.now()))
    if (people.length === 0) return []
    const found = await toTell(notice, event, people)
    if (!found) return []
    const { subject, users, grave } = found
    return people
      .filter(
        ({ userId, settings }) =>
          users.includes(userId) &&
          !isLooking(userId, subject.sessionId) &&
          loudnessOf({ type, grave }, settings, clock.now()) !== 'none',
      )
      .flatMap(({ destinations }) => destinations.map((where) => itemFor(where, subject)))
  }

  return async (event) => {
    const notice = isOf(event, 'ask', 'alert', 'session', 'queue', 'schedule') ? noticeOf(event) : null
    return notice ? itemsFor(notice, event) : []
  }
}

type Ground = Pick<Grounds, 'session' | 'adminsMayAnswer' | 'separateRequester'>

/** The people that something concerns, by the same rules as permissions. */
export type ConcernedPeople = {
  /** Everyone who might be allowed to answer it: few, however many people there are. */
  candidates(ask: Ask): Promise<UserId[]>
  /** Those among them who may answer it. */
  answerers(ask: Ask, among: readonly UserId[]): Promise<UserId[]>
  /** Whether a person who may answer it may also approve it. */
  mayApprove(ask: Ask, userId: UserId): Promise<boolean>
  /** Those among them who may operate the session. */
  operators(sessionId: SessionId, among: readonly UserId[]): Promise<UserId[]>
  /** The owner and the delegates. */
  holders(sessionId: SessionId): Promise<UserId[]>
  /** The number on a person's badge. */
  waitingFor(userId: UserId): Promise<number>
}

export function createConcernedPeople(
  { read }: Pick<Database, 'read'>,
  settings: () => Settings,
  waiting: (userId: UserId, rules: { adminsMayAnswer: boolean; separateRequester: boolean }) => Promise<number>,
): ConcernedPeople {
  const rulesNow = () => {
    const { adminsMayAnswer, separateRequester = false } = settings()
    return { adminsMayAnswer, separateRequester }
  }

  async function groundOf(id: SessionId | null): Promise<Ground> {
    const rules = rulesNow()
    const session = id === null ? undefined : await loadSession(read, id)
    return session ? { ...rules, session: { ...session, delegates: await loadDelegates(read, session.id) } } : rules
  }

  async function those(
    among: readonly UserId[],
    id: SessionId | null,
    may: (grounds: Grounds) => boolean,
  ): Promise<UserId[]> {
    const ground = await groundOf(id)
    const found: UserId[] = []
    for (const userId of among) {
      const standing = await loadStanding(read, { kind: 'person', userId, scope: 'full' })
      if (may({ ...ground, standing })) found.push(userId)
    }
    return found
  }

  async function holders(id: SessionId): Promise<UserId[]> {
    const { session } = await groundOf(id)
    return session ? [session.ownerUserId, ...session.delegates] : []
  }

  return {
    async candidates({ answerers, sessionId }) {
      const own = sessionId === null ? [] : await holders(sessionId)
      return [...new Set([...(answerers ?? []), ...own, ...(await adminsOfAnything(read))])]
    },
    answerers: (ask, among) =>
      those(
        // Administrators are asked circle by circle, although all of them may answer.
        ask.agentGroupId === null ? among : among.filter((id) => ask.answerers?.includes(id)),
        ask.sessionId,
        (grounds) => mayAnswerAsk(grounds, ask),
      ),
    mayApprove: async (ask, userId) =>
      (await those([userId], ask.sessionId, (grounds) => mayApproveAsk(grounds, ask, ask.subject))).length > 0,
    // Without its session there is nothing to operate.
    operators: (id, among) => those(among, id, (grounds) => grounds.session !== undefined && mayOperate(grounds)),
    holders,
    waitingFor: (userId) => waiting(userId, rulesNow()),
  }
}
