import type { SessionId } from '../session/id.ts'
import type { ProtocolMode } from '../session/schema.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AlertStatus } from './statuses.ts'
import type { AlertCause, AlertId, StallSettings } from './schema.ts'
import { isPaused } from './status.ts'

/** The session data that the stall clock depends on. */
export type Watched = {
  readonly id: SessionId
  readonly status: SessionStatus
  readonly protocolMode: ProtocolMode
  readonly connectivityStatus: 'online' | 'offline' | 'stalled'
  readonly lastActivityAt: string
  readonly lastTool: string | null
  /** The last sign of life other than an unchanged heartbeat. */
  readonly progressAt: string
  /** When the clock was restarted: an ask was closed, a turn began, or a pause ended. */
  readonly stallFrom: string | null
  readonly stallPaused: boolean
  readonly stallPausedUntil: string | null
  /** An ask is open. */
  readonly waits: boolean
  /** The agent has a prompt and its turn is not over; over MCP: it has called a tool, and no turn has ended since. */
  readonly inTurn: boolean
}

export type AlertState = {
  readonly id: AlertId
  readonly sessionId: SessionId
  readonly cause: AlertCause
  readonly status: AlertStatus
  readonly nudgeCount: number
  readonly nextAt: string | null
  readonly createdAt: string
  readonly closedAt: string | null
  readonly closedBy: string | null
}

export const isOpen = ({ status, closedAt }: Pick<AlertState, 'status' | 'closedAt'>): boolean =>
  closedAt === null && (status === 'pending' || status === 'nudged' || status === 'escalated')

/** With heartbeats alone, the timeout is this many times longer than for silence. */
const patience = 3

/** Why the stall clock of a session is stopped; null if it runs. */
export function unwatched(session: Watched, now: number): string | null {
  if (session.status !== 'active') return `the session is ${session.status}`
  if (session.protocolMode === 'terminal') return 'a terminal is not watched'
  if (session.waits) return 'it is waiting for a person'
  if (isPaused(session, now)) return 'stall detection is paused'
  return session.inTurn ? null : 'its turn is over'
}

/** When the clock started. */
export function clockStart(session: Watched, cause: AlertCause): number {
  const sign = cause === 'silent' ? session.lastActivityAt : session.progressAt
  return Math.max(
    ...[sign, session.stallFrom, session.stallPausedUntil].map((at) => (at === null ? 0 : Date.parse(at))),
  )
}

/** When the session stalls if nothing changes, and with which cause. */
export function stallDue(session: Watched, rules: StallSettings): { at: number; cause: AlertCause } {
  const silentAt = clockStart(session, 'silent') + rules.inactivityMs
  const stuckAt = clockStart(session, 'no_progress') + rules.inactivityMs * patience
  // Without a heartbeat since the last progress, the cause is silence.
  const beats = session.lastActivityAt > session.progressAt
  return beats && stuckAt < silentAt ? { at: stuckAt, cause: 'no_progress' } : { at: silentAt, cause: 'silent' }
}

/** A dismissed alert is not raised again until there is a new sign of life. */
export function isUnwanted(latest: AlertState | undefined, session: Watched, cause: AlertCause): boolean {
  if (latest?.status !== 'dismissed' || latest.closedBy?.startsWith('system:') === true) return false
  if (session.lastActivityAt < latest.createdAt) return true
  return cause === 'no_progress' && latest.cause === cause && session.progressAt < latest.createdAt
}

export const cameBack = (alert: AlertState, session: Watched): boolean =>
  (alert.cause === 'silent' ? session.lastActivityAt : session.progressAt) >= alert.createdAt

export type AlertStep = 'recover' | 'lapse' | 'nudge' | 'escalate'

/** The step an open alert is due for; null if none yet. */
export function stepOf(alert: AlertState, session: Watched, rules: StallSettings, now: number): AlertStep | null {
  if (!isOpen(alert)) return null
  if (cameBack(alert, session)) return 'recover'
  // An escalated alert stays open until a sign of life, unless the session ended.
  if (alert.status === 'escalated' ? session.status !== 'active' : unwatched(session, now) !== null) return 'lapse'
  if (!rules.enabled || alert.nextAt === null || Date.parse(alert.nextAt) > now) return null
  return alert.nudgeCount < rules.maxRetries ? 'nudge' : 'escalate'
}
