import * as z from 'zod'
import { Event } from '../../domain/audit/schema.ts'
import { Json } from '../../lib/json.ts'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, limit, time } from './parts.ts'

const types = z
  .string()
  .max(1000)
  .regex(/^[a-z_]+(\.[a-z_*]+|\*)?(,[a-z_]+(\.[a-z_*]+|\*)?)*$/, 'must be event types such as ask.opened or session.*')
  .transform((text) => text.split(','))
  .meta({ description: 'Comma-separated event types; a trailing * matches the rest.', type: 'string' })

const EventFilter = {
  session: SessionId.optional(),
  type: types.optional(),
}
const AuditFilter = {
  ...EventFilter,
  actor: z.string().max(200).optional(),
  since: time.optional(),
  until: time.optional(),
  text: z.string().min(1).max(200).optional(),
}

export const Check = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
  hint: z.string().nullable(),
})
export type Check = z.infer<typeof Check>

export const DeadLetter = z
  .object({
    id: z.string(),
    kind: z.enum(['event', 'message']).describe('An event that was not handled, or a message that was not sent'),
    follower: z.string().describe('The follower, or the sender of a message'),
    destination: z.string().nullable().describe('For a message: its destination'),
    eventId: z.string(),
    attempts: z.int(),
    error: z.string(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'DeadLetter' })

const configInForce = () =>
  z.object({
    file: z.string().nullable(),
    dataDirectory: z.string(),
    values: z.record(z.string(), z.object({ value: Json, source: z.enum(['default', 'file', 'environment', 'flag']) })),
  })
export type ConfigInForce = z.infer<ReturnType<typeof configInForce>>

export const systemEndpoints = {
  searchAudit: endpoint({
    method: 'GET',
    path: '/api/audit',
    tag: 'audit',
    summary: 'The log, newest first: who did what, and when',
    status: 200,
    query: () => z.strictObject({ ...AuditFilter, limit: limit(500, 50), before: PageCursor.optional() }),
    response: () => z.object({ events: z.array(Event), next: PageCursor.nullable() }),
  }),
  exportAudit: endpoint({
    method: 'GET',
    path: '/api/audit/export',
    tag: 'audit',
    summary: 'The log in order as NDJSON, one event per line',
    status: 200,
    query: () => z.strictObject(AuditFilter),
    response: () => z.string().meta({ description: 'application/x-ndjson' }),
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/api/events',
    tag: 'events',
    summary: 'Live events as server-sent events; Last-Event-ID or `after` resumes after any gap',
    status: 200,
    query: () =>
      z.strictObject({
        ...EventFilter,
        after: PageCursor.optional(),
        live: z
          .union([SessionId, z.literal('terminals')])
          .optional()
          .meta({
            description:
              "Also streams this session's messages as they are written, or which terminals start and stop waiting.",
          }),
        looking: z.enum(['true', 'false']).default('false').meta({
          description:
            'You are looking at it now and need no notification: at `live` or `session`, else at no session in particular. Also streams which of your web chats changed.',
        }),
      }),
    response: () => z.string().meta({ description: 'text/event-stream' }),
  }),
  getStatus: endpoint({
    method: 'GET',
    path: '/api/status',
    tag: 'system',
    summary: 'Version, address, database and what is happening',
    status: 200,
    response: () =>
      z.object({
        version: z.string(),
        pid: z.int(),
        address: z.string(),
        socket: z.string().nullable().meta({ description: 'Null if you lack the machine right.' }),
        dataDirectory: z.string().nullable().meta({ description: 'Null if you lack the machine right.' }),
        database: z.enum(['sqlite', 'postgres']),
        startedAt: z.iso.datetime(),
        sessions: z.int(),
        activities: z.record(z.string(), z.int()).meta({
          description: 'How many of them are working, idle, asleep … or have another status, of the newest 1000.',
        }),
        agentsRunning: z
          .int()
          .meta({ description: 'Agents of this server that have a process. They end if it is stopped.' }),
        openAsks: z.int(),
        deadLetters: z.int(),
      }),
  }),
  getDoctor: endpoint({
    method: 'GET',
    path: '/api/doctor',
    tag: 'system',
    summary: 'Checks of the running server',
    status: 200,
    response: () => z.object({ checks: z.array(Check) }),
  }),
  getConfig: endpoint({
    method: 'GET',
    path: '/api/config',
    tag: 'system',
    summary: 'The configuration that this server runs with, and the source of each value; secrets are masked',
    status: 200,
    response: configInForce,
  }),
  listDeadLetters: endpoint({
    method: 'GET',
    path: '/api/dead-letters',
    tag: 'system',
    summary: 'Events a follower could not handle, and messages that could not be sent',
    status: 200,
    response: () => z.object({ deadLetters: z.array(DeadLetter) }),
  }),
  retryDeadLetter: endpoint({
    method: 'POST',
    path: '/api/dead-letters/{id}/retry',
    tag: 'system',
    summary: 'Retry: handle the event again, or send the message again',
    status: 200,
    params: () => z.object({ id: z.uuid() }),
    response: DeadLetter,
  }),
}
