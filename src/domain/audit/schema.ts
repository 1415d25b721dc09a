import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { Json } from '../../lib/json.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { SessionId } from '../session/id.ts'

export const EventId = idOf('EventId')
export type EventId = z.infer<typeof EventId>

/** One line of the log: what happened, when, and who did it. Content is in the tables. */
export const Event = z
  .object({
    id: EventId,
    cursor: z.string().meta({ description: 'Opaque; resume after it with Last-Event-ID or ?after=.' }),
    at: z.iso.datetime(),
    type: z.string(),
    actor: z.string(),
    stream: z.string(),
    sessionId: SessionId.nullable(),
    ownerUserId: UserId.nullable(),
    agentGroupId: AgentGroupId.nullable(),
    data: z.record(z.string(), Json),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof Event>

/** `public`: any signed-in user. `owner`: the person concerned, and readers of their session. `admin`: admins. */
export type Visibility = 'public' | 'owner' | 'admin'

export const AuditCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('security.report'),
    what: z.enum(['path_refused', 'login_refused']),
    detail: z.string().max(4096),
  }),
])
export type AuditCommand = z.infer<typeof AuditCommand>

/** Events that exist only in the log. */
export const auditEvents = { 'security.reported': () => z.object({ what: z.string(), detail: z.string() }) }

export type AuditChange = { type: 'security.reported'; data: DataOf<typeof auditEvents>['security.reported'] }
