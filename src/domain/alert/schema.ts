import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { MessageId } from '../message/schema.ts'
import { QueueItemId } from '../queue/schema.ts'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'
import { alertStatuses } from './statuses.ts'

export const AlertId = idOf('AlertId')
export type AlertId = z.infer<typeof AlertId>

/** No sign of life at all, or heartbeats without progress. */
const AlertCause = z.enum(['silent', 'no_progress'])
export type AlertCause = z.infer<typeof AlertCause>

export const Alert = z
  .object({
    id: AlertId,
    sessionId: SessionId,
    cause: AlertCause,
    status: z.enum(alertStatuses),
    lastTool: z.string().nullable(),
    lastActivityAt: z.iso.datetime(),
    idleSeconds: z.int().meta({ description: 'How long the stall clock had run when the alert was raised.' }),
    nudgeCount: z.int(),
    nudgeMessage: z.string().nullable().meta({ description: 'The text of the last nudge by a person.' }),
    slackTs: z.string().nullable(),
    nextAt: z.iso.datetime().nullable().meta({ description: 'When the next nudge, or the escalation, is due.' }),
    nudgedAt: z.iso.datetime().nullable(),
    escalatedAt: z.iso.datetime().nullable(),
    closedAt: z.iso.datetime().nullable(),
    closedBy: z.string().nullable().meta({ description: 'user:<id>, or system:watchdog if it no longer mattered.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>

/** How well nudges worked. */
export const AlertStats = z
  .object({
    total: z.int(),
    open: z.int().meta({ description: 'Neither recovered nor dismissed, including escalated ones.' }),
    byStatus: z.record(z.enum(alertStatuses), z.int()),
    byCause: z.record(AlertCause, z.int()),
    escalated: z.int().meta({ description: 'All that were ever escalated.' }),
    lapsed: z.int().meta({ description: 'Closed because the session ended, was paused or waited for a person.' }),
    nudges: z.int(),
    recoveredAfter: z
      .array(z.object({ nudges: z.int(), alerts: z.int() }))
      .meta({ description: 'How many recovered after that many nudges; 0: without one.' }),
    medianSecondsFromNudgeToLife: z.number().nullable(),
  })
  .meta({ id: 'AlertStats' })
export type AlertStats = z.infer<typeof AlertStats>

/** Settings of the stall clock. */
export type StallSettings = {
  readonly enabled: boolean
  readonly inactivityMs: number
  /** Delay before the first nudge, between nudges, and before the escalation. */
  readonly escalationMs: number
  readonly maxRetries: number
  readonly message: string
}

export const AlertCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('alert.raise'), id: AlertId, sessionId: SessionId, cause: AlertCause }),
  /** By the clock when due, or by a person at any time, with their own text or the default. */
  z.object({
    type: z.literal('alert.nudge'),
    id: AlertId,
    itemId: QueueItemId,
    message: z.string().min(1).max(100_000).nullable().default(null),
  }),
  z.object({ type: z.literal('alert.escalate'), id: AlertId }),
  z.object({ type: z.literal('alert.dismiss'), id: AlertId }),
  /** The agent showed a sign of life. */
  z.object({ type: z.literal('alert.recover'), id: AlertId }),
  /** The alert no longer applies: the session ended, is paused, or waits for a person. */
  z.object({ type: z.literal('alert.lapse'), id: AlertId }),
])
export type AlertCommand = z.infer<typeof AlertCommand>

const ref = { id: AlertId, sessionId: SessionId }

/** Events about alerts. */
export const alertEvents = {
  'alert.raised': () =>
    z.object({
      ...ref,
      cause: AlertCause,
      lastTool: z.string().nullable(),
      lastActivityAt: z.string(),
      idleSeconds: z.number(),
      nextAt: z.string(),
      messageId: MessageId,
    }),
  'alert.nudged': () =>
    z.object({
      ...ref,
      nudge: z.int(),
      itemId: QueueItemId,
      automatic: z.boolean(),
      nextAt: z.string().nullable(),
      messageId: MessageId,
    }),
  /** Needs a person: mentions the whole channel. */
  'alert.escalated': () => z.object({ ...ref, nudges: z.int(), mention: z.literal('channel'), messageId: MessageId }),
  'alert.dismissed': () => z.object({ ...ref, by: z.string(), messageId: MessageId }),
  'alert.lapsed': () => z.object({ ...ref, why: z.string() }),
  /** Closes the open alert of the session, whichever it is. */
  'alert.recovered': () => z.object({ sessionId: SessionId, id: AlertId.optional() }),
}
type Data = DataOf<typeof alertEvents>

export type AlertChange =
  | { type: 'alert.raised'; data: Data['alert.raised'] }
  | {
      type: 'alert.nudged'
      data: Data['alert.nudged']
      /** The person's own text. */
      body: string | null
    }
  | { type: 'alert.escalated'; data: Data['alert.escalated'] }
  | { type: 'alert.dismissed'; data: Data['alert.dismissed'] }
  | { type: 'alert.lapsed'; data: Data['alert.lapsed'] }
  | { type: 'alert.recovered'; data: Data['alert.recovered'] }
