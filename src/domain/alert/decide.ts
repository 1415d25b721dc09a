import { span } from '../../lib/time-span.ts'
import { iso } from '../../lib/clock.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { messageAdded } from '../message/decide.ts'
import type { MessageChange, MessageId } from '../message/schema.ts'
import { queueAdded } from '../queue/decide.ts'
import type { QueueChange, QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionOwnChange } from '../session/schema.ts'
import type { AlertChange, AlertCommand, AlertId, StallSettings, AlertCause } from './schema.ts'
import {
  cameBack,
  clockStart,
  isOpen,
  isUnwanted,
  stallDue,
  unwatched,
  type AlertState,
  type Watched,
} from './stall.ts'

export type AlertFacts = {
  session: Watched | undefined
  /** The alert the command is about. */
  alert: AlertState | undefined
  /** The newest alert of the session, in any status. */
  latest: AlertState | undefined
  /** Automatic nudges that the agent has not received yet. */
  waitingNudges: readonly QueueItemId[]
}

export type AlertGround = {
  now: number
  by: string
  /** Sent by the clock, which acts only when the alert is due. */
  automatic: boolean
  noteId: MessageId
  rules: StallSettings
}

type Decided = AlertChange | SessionOwnChange | MessageChange | QueueChange
type AlertCommandOf<T extends AlertCommand['type']> = Extract<AlertCommand, { type: T }>

export function decideAlert(facts: AlertFacts, command: AlertCommand, ground: AlertGround): Result<Decided[]> {
  if (command.type === 'alert.raise') return raise(facts, command, ground)
  const { alert, session } = facts
  if (!alert || !session) return notFound('alert', command.id)
  if (!isOpen(alert)) return closed(alert)
  const { id, sessionId } = alert
  switch (command.type) {
    case 'alert.nudge':
      return nudge(facts, alert, session, command, ground)
    case 'alert.escalate':
      return escalate(alert, session, ground)
    case 'alert.dismiss':
      return ok([
        { type: 'alert.dismissed', data: { id, sessionId, by: ground.by, messageId: ground.noteId } },
        note(sessionId, ground.noteId, dismissedText),
        ...taken(facts, 'the alert was dismissed'),
        ...connected(session),
      ])
    case 'alert.recover':
      if (!cameBack(alert, session)) return notNow('no_life', 'The agent has not responded since.')
      return ok([
        { type: 'alert.recovered', data: { id, sessionId } },
        recoveryNote(sessionId, ground.noteId),
        ...connected(session),
      ])
    case 'alert.lapse': {
      const why = unwatched(session, ground.now)
      if (why === null) return notNow('still_watched', 'The session is still watched.')
      return ok([{ type: 'alert.lapsed', data: { id, sessionId, why } }, ...taken(facts, why), ...connected(session)])
    }
    default:
      return command satisfies never
  }
}

function raise(
  { session, alert, latest }: AlertFacts,
  command: AlertCommandOf<'alert.raise'>,
  ground: AlertGround,
): Result<Decided[]> {
  const { id, sessionId, cause } = command
  const { now, rules, noteId } = ground
  if (!session) return notFound('session', sessionId)
  if (alert) return fail({ kind: 'conflict', code: 'alert_exists', message: `Alert ${id} already exists.` })
  if (latest && isOpen(latest)) return active(latest.id)
  const why = rules.enabled ? unwatched(session, now) : 'stall detection is off'
  const due = stallDue(session, rules)
  if (why !== null || due.cause !== cause || due.at > now)
    return notNow('not_stalled', `The session is not stalled: ${why ?? 'the agent responded'}.`)
  if (isUnwanted(latest, session, cause))
    return notNow('alert_dismissed', 'The alert was dismissed, and the agent has not responded since.')
  const { lastTool, lastActivityAt } = session
  const idleSeconds = Math.floor((now - clockStart(session, cause)) / 1000)
  const nextAt = iso(now + rules.escalationMs)
  return ok([
    {
      type: 'alert.raised',
      data: { id, sessionId, cause, lastTool, lastActivityAt, idleSeconds, nextAt, messageId: noteId },
    },
    note(sessionId, noteId, raisedText(cause, { idleSeconds, lastTool }, rules)),
    // An agent that sends heartbeats is online, even if it makes no progress.
    ...(cause === 'silent' && session.connectivityStatus !== 'stalled'
      ? [{ type: 'session.connectivity_changed' as const, data: { id: sessionId, to: 'stalled' as const } }]
      : []),
  ])
}

function nudge(
  facts: AlertFacts,
  alert: AlertState,
  session: Watched,
  command: AlertCommandOf<'alert.nudge'>,
  { now, by, automatic, noteId, rules }: AlertGround,
): Result<Decided[]> {
  const { id, sessionId } = alert
  const why = session.status === 'active' && session.waits ? 'it is waiting for a person' : inactive(session)
  if (why !== null)
    return notNow('not_nudgeable', `It can't be nudged: ${why}.`, 'Answer it, resume it, or start a new session.')
  if (automatic) {
    const refused = notDue(alert, session, now)
    if (refused) return refused
    if (alert.nudgeCount >= rules.maxRetries)
      return notNow('no_more_nudges', 'It was nudged the maximum number of times.')
  }
  const text = command.message ?? rules.message
  const count = alert.nudgeCount + 1
  // A late step does not shorten the next interval, so steps don't pile up after downtime.
  const nextAt = alert.status === 'escalated' ? null : iso(now + rules.escalationMs)
  return ok([
    {
      type: 'alert.nudged',
      data: { id, sessionId, nudge: count, itemId: command.itemId, automatic, nextAt, messageId: noteId },
      body: command.message,
    },
    note(sessionId, noteId, nudgedText(count, text, automatic ? 'clock' : 'person', rules.maxRetries)),
    // An agent that comes back gets one nudge, not every one it missed.
    ...taken(facts, 'a later nudge takes its place'),
    queueAdded({ id: command.itemId, sessionId, when: 'now' }, text, by),
  ])
}

function escalate(alert: AlertState, session: Watched, { now, noteId, rules }: AlertGround): Result<Decided[]> {
  const { id, sessionId, cause, nudgeCount } = alert
  if (alert.status === 'escalated') return notNow('already_escalated', 'It has already been escalated.')
  const refused = notDue(alert, session, now)
  if (refused) return refused
  if (nudgeCount < rules.maxRetries) return notNow('nudges_left', 'It has nudges left.')
  return ok([
    { type: 'alert.escalated', data: { id, sessionId, nudges: nudgeCount, mention: 'channel', messageId: noteId } },
    note(sessionId, noteId, escalatedText(cause, nudgeCount)),
  ])
}

/** Checked again when the clock acts: an earlier command may have moved `nextAt`. */
function notDue(alert: AlertState, session: Watched, now: number): Failed | null {
  if (cameBack(alert, session)) return notNow('there_was_life', 'The agent has responded in the meantime.')
  const why = unwatched(session, now)
  if (why !== null) return notNow('not_watched', `It is not watched now: ${why}.`)
  if (alert.nextAt === null || Date.parse(alert.nextAt) > now) return notNow('not_due', 'It is not due yet.')
  return null
}

const inactive = ({ status }: Watched): string | null => (status === 'active' ? null : `the session is ${status}`)

const note = (sessionId: SessionId, id: MessageId, text: string): MessageChange =>
  messageAdded(id, sessionId, 'system', { type: 'text', text, partial: false })

/** Added by any sign of life, which closes the open alert. */
export const recoveryNote = (sessionId: SessionId, id: MessageId): MessageChange => note(sessionId, id, recoveredText)

const taken = ({ session, waitingNudges }: AlertFacts, reason: string): QueueChange[] =>
  session ? waitingNudges.map((id) => ({ type: 'queue.dropped', data: { id, sessionId: session.id, reason } })) : []

/** `stalled` ends with the alert; if the agent is gone, the session is offline. */
function connected({ id, connectivityStatus, status }: Watched): SessionOwnChange[] {
  if (connectivityStatus !== 'stalled') return []
  const to = status === 'active' || status === 'paused' ? 'online' : 'offline'
  return [{ type: 'session.connectivity_changed', data: { id, to } }]
}

const notNow = (code: string, message: string, hint?: string): Failed => fail({ kind: 'conflict', code, message, hint })

const active = (id: AlertId): Failed =>
  fail({ kind: 'conflict', code: 'alert_active', message: 'The session already has an alert.', details: { id } })

const closed = ({ status, closedBy }: AlertState): Failed =>
  fail({
    kind: 'conflict',
    code: 'alert_closed',
    message: `The alert is closed: it is ${status.replaceAll('_', ' ')}.`,
    hint: 'Send the session a prompt instead.',
    details: { status, closedBy },
  })

function raisedText(
  cause: AlertCause,
  { idleSeconds, lastTool }: { idleSeconds: number; lastTool: string | null },
  rules: StallSettings,
): string {
  const what =
    cause === 'silent'
      ? `No activity from the agent for ${span(idleSeconds)}`
      : `The agent has sent only the same heartbeat for ${span(idleSeconds)}`
  const tool = lastTool === null ? '' : `; last tool: ${lastTool}`
  const next = rules.maxRetries > 0 ? 'It will be nudged' : 'Everyone will be notified'
  return `${what}${tool}. ${next} in ${span(rules.escalationMs / 1000)} unless it resumes.`
}

const nudgedText = (nudge: number, text: string, by: 'clock' | 'person', retries: number): string =>
  by === 'clock' ? `Nudge ${nudge} of ${retries} to the agent: ${text}` : `Nudge to the agent by a person: ${text}`

const escalatedText = (cause: AlertCause, nudges: number): string => {
  const tried = nudges === 0 ? '' : ` after ${nudges} ${nudges === 1 ? 'nudge' : 'nudges'}`
  const what = cause === 'silent' ? 'The agent still does not respond' : 'The agent still makes no progress'
  return `${what}${tried}. A person must act: nudge it with your own text, stop the session, or dismiss the alert.`
}

const dismissedText = 'Alert dismissed. No new one is raised until the agent responds again.'

const recoveredText = 'The agent is back; the alert is closed.'
