import type { SessionId } from '../session/id.ts'
import type { ProtocolMode } from '../session/schema.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AlertCause, AlertId, AlertStatus, StallSettings } from './schema.ts'
import { isPaused } from './status.ts'

/** What the stall clock of a session depends on. */
export type Watched = {
  readonly id: SessionId
  readonly status: SessionStatus
  readonly protocolMode: ProtocolMode
  readonly connectivityStatus: 'online' | 'offline' | 'stalled'
  readonly lastActivityAt: string
  readonly lastTool: string | null
  /** The last sign of life that was more than a heartbeat saying the same again. */
  readonly progressAt: string
  /** The clock was started anew: an ask was closed, a turn begun, a pause over. */
  readonly stallFrom: string | null
  readonly stallPaused: boolean
  readonly stallPausedUntil: string | null
  /** An ask is open. */
  readonly waits: boolean
  /** A prompt is with the agent, and its turn is not over. */
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

/** Heartbeats alone are believed this many times longer than silence. */
const patience = 3

/** Why the stall clock of a session does not run; null where it does. */
export function unwatched(session: Watched, now: number): string | null {
  if (session.status !== 'active') return `the session is ${session.status}`
  if (session.protocolMode === 'terminal') return 'a terminal is not watched'
  if (session.waits) return 'it is waiting for a person'
  if (isPaused(session, now)) return 'stall detection is paused'
  // Over MCP the agent is at work whenever it is not in a call of ours.
  return session.protocolMode === 'acp' && !session.inTurn ? 'its turn is over' : null
}

/** Since when the clock runs. */
export function clockStart(session: Watched, cause: AlertCause): number {
  const sign = cause === 'silent' ? session.lastActivityAt : session.progressAt
  return Math.max(
    ...[sign, session.stallFrom, session.stallPausedUntil].map((at) => (at === null ? 0 : Date.parse(at))),
  )
}

/** When there is a stall if nothing changes, and which. */
export function stallDue(session: Watched, rules: StallSettings): { at: number; cause: AlertCause } {
  const silentAt = clockStart(session, 'silent') + rules.inactivityMs
  const stuckAt = clockStart(session, 'no_progress') + rules.inactivityMs * patience
  // Without a heartbeat since, it is silence and nothing else.
  const beats = session.lastActivityAt > session.progressAt
  return beats && stuckAt < silentAt ? { at: stuckAt, cause: 'no_progress' } : { at: silentAt, cause: 'silent' }
}

/** What a person dismissed does not come back until there was life again. */
export function isUnwanted(latest: AlertState | undefined, session: Watched, cause: AlertCause): boolean {
  if (latest?.status !== 'dismissed' || latest.closedBy?.startsWith('system:') === true) return false
  if (session.lastActivityAt < latest.createdAt) return true
  return cause === 'no_progress' && latest.cause === cause && session.progressAt < latest.createdAt
}

export const cameBack = (alert: AlertState, session: Watched): boolean =>
  (alert.cause === 'silent' ? session.lastActivityAt : session.progressAt) >= alert.createdAt

export type AlertStep = 'recover' | 'lapse' | 'nudge' | 'escalate'

/** What an open alert is due for now; null: nothing yet. */
export function stepOf(alert: AlertState, session: Watched, rules: StallSettings, now: number): AlertStep | null {
  if (!isOpen(alert)) return null
  if (cameBack(alert, session)) return 'recover'
  // An alert that people were called for stays until there is life, unless the session is over.
  if (alert.status === 'escalated' ? session.status !== 'active' : unwatched(session, now) !== null) return 'lapse'
  if (!rules.enabled || alert.nextAt === null || Date.parse(alert.nextAt) > now) return null
  return alert.nudgeCount < rules.maxRetries ? 'nudge' : 'escalate'
}
