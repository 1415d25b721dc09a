import { basename } from 'node:path'
import type { App } from '../app.ts'
import type { AlertId } from '../../domain/alert/schema.ts'
import { isGrave } from '../../domain/ask/about.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { announcesByPush, loudnessOf } from '../../domain/push/loudness.ts'
import { composePush, testPush, type NotificationOrigin, type NotificationSubject } from '../../domain/push/compose.ts'
import type { PushPayload } from '../../domain/push/payload.ts'
import type { NotificationRequest } from '../../domain/push/records.ts'
import type { ScheduleId } from '../../domain/schedule/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { hasEnded } from '../../domain/session/status.ts'
import type { Session } from '../../domain/session/schema.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { UserId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'

export { announcesByPush }

export type ComposedPush = { readonly payload: PushPayload; readonly ttlSeconds: number }

const seeing = systemStanding('push')
const daySeconds = 24 * 3600
/** A finished turn is not news after this time. */
const newsMs = 3_600_000

/** The text of a notification when it is sent; null if it is no longer needed, or not by this person. */
export function createPushPayloads({ app, clock }: { app: Pick<App, 'read' | 'recipients'>; clock: Clock }) {
  const { read, recipients: audience } = app

  async function originOf(id: SessionId | null): Promise<NotificationOrigin & { found: Session | null }> {
    const session = id === null ? null : await read.session(seeing, id)
    if (!session?.ok) return { session: null, repo: null, found: null }
    const { repoId, workspaceRoot } = session.value
    const repo = repoId === null ? null : await read.repo(seeing, repoId)
    const name = repo?.ok ? repo.value.name : basename(workspaceRoot) || workspaceRoot
    return { session: session.value, repo: name, found: session.value }
  }

  async function nameOf(by: string | null, reader: UserId): Promise<string | null> {
    if (by === null) return null
    const [kind, id = ''] = by.split(':')
    if (kind === 'policy') return 'A rule'
    if (kind !== 'user') return 'Signalbox'
    if (id === reader) return 'You'
    const user = await read.user(seeing, id as UserId)
    return user.ok ? user.value.displayName : null
  }

  async function ofAsk(
    send: NotificationRequest,
  ): Promise<{ telling: NotificationSubject; grave: boolean; until: string | null } | null> {
    const found = await read.ask(seeing, send.subject.id as AskId)
    if (!found.ok) return null
    const ask = found.value
    const from = await originOf(ask.sessionId)
    if (send.type === 'gone') {
      const who = await nameOf(ask.answeredBy, send.userId)
      return ask.status === 'open' ? null : { telling: { type: 'gone', ask, from, who }, grave: false, until: null }
    }
    if (ask.status !== 'open' || !isAnnounced(from.found)) return null
    if ((await audience.answerers(ask, [send.userId])).length === 0) return null
    const mayApprove = await audience.mayApprove(ask, send.userId)
    return { telling: { type: 'needs_you', ask, from, mayApprove }, grave: isGrave(ask), until: ask.expiresAt }
  }

  async function ofAlert(
    send: NotificationRequest,
  ): Promise<{ telling: NotificationSubject; grave: boolean; until: null } | null> {
    const found = await read.alert(seeing, send.subject.id as AlertId)
    if (!found.ok) return null
    const alert = found.value
    const from = await originOf(alert.sessionId)
    if (send.type === 'gone') {
      const who = alert.status === 'dismissed' ? await nameOf(alert.closedBy, send.userId) : null
      return alert.closedAt === null ? null : { telling: { type: 'gone', alert, from, who }, grave: false, until: null }
    }
    if (alert.closedAt !== null || !isAnnounced(from.found)) return null
    if ((await audience.operators(alert.sessionId, [send.userId])).length === 0) return null
    return { telling: { type: 'needs_you', alert, from }, grave: false, until: null }
  }

  async function ofSession(
    send: NotificationRequest,
  ): Promise<{ telling: NotificationSubject; grave: boolean; until: null } | null> {
    const { session, repo, found } = await originOf(send.subject.sessionId)
    if (!session || !found || clock.now() - Date.parse(send.createdAt) > newsMs) return null
    const turn = !hasEnded(session.status)
    // It continued or asks something, which has its own notification.
    if ((turn && found.waiting) || !isAnnounced(found)) return null
    return { telling: { type: 'done', turn, from: { session, repo } }, grave: false, until: null }
  }

  async function ofSchedule(
    send: NotificationRequest,
  ): Promise<{ telling: NotificationSubject; grave: boolean; until: null } | null> {
    const found = await read.schedule(seeing, send.subject.id as ScheduleId)
    if (!found.ok || found.value.ownerUserId !== send.userId || found.value.failuresInARow === 0) return null
    return { telling: { type: 'needs_you', schedule: found.value }, grave: false, until: null }
  }

  async function of(send: NotificationRequest): Promise<ComposedPush | null> {
    const standing = await read.standing({ kind: 'person', userId: send.userId, scope: 'full' })
    if (standing.unknown) return null
    const { kind } = send.subject
    const found = await (kind === 'ask'
      ? ofAsk(send)
      : kind === 'alert'
        ? ofAlert(send)
        : kind === 'schedule'
          ? ofSchedule(send)
          : ofSession(send))
    if (!found) return null
    const now = clock.now()
    const loudness = loudnessOf({ type: send.type, grave: found.grave }, send.settings, now)
    if (loudness === 'none') return null
    const badge = await audience.waitingFor(send.userId)
    const payload = composePush(found.telling, { silent: loudness === 'silent', badge, at: iso(now) })
    const left = found.until === null ? daySeconds : Math.ceil((Date.parse(found.until) - now) / 1000)
    return { payload, ttlSeconds: Math.max(60, Math.min(daySeconds, left)) }
  }

  return {
    of,
    async test(userId: UserId): Promise<ComposedPush> {
      const badge = await audience.waitingFor(userId)
      return { payload: testPush({ badge, at: iso(clock.now()) }), ttlSeconds: 60 }
    },
  }
}

/** An ask without a session is always announced. */
const isAnnounced = (session: Session | null): boolean => session === null || announcesByPush(session.mode)
