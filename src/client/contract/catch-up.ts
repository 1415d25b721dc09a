import * as z from 'zod'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { count } from './parts.ts'

const Severity = z.enum(['low', 'medium', 'high', 'critical'])

const CaughtUpEvent = z
  .object({
    at: z.string(),
    sessionId: SessionId.nullable(),
    severity: Severity,
    kind: z.string(),
    text: z.string(),
    context: z.array(z.string()),
    times: z.int().meta({ description: 'How often it happened, if repetitions are listed together.' }),
    askId: z.string().nullable(),
  })
  .meta({ id: 'CaughtUpEvent' })
export type CaughtUpEvent = z.infer<typeof CaughtUpEvent>

export const catchUpEndpoints = {
  catchUp: endpoint({
    method: 'GET',
    path: '/api/catch-up',
    tag: 'events',
    summary: 'What happened since then, most important first, as far as there is room',
    status: 200,
    query: () =>
      z.strictObject({
        sessionId: SessionId.optional(),
        since: z
          .string()
          .max(20_000)
          .optional()
          .meta({ description: 'A cursor from an earlier response, or a time. Default: since your last look.' }),
        tokenBudget: count(100, 1_000_000, 2000),
        minSeverity: Severity.default('low'),
      }),
    response: () =>
      z.object({
        events: z.array(CaughtUpEvent),
        summary: z.string(),
        cursor: z.string(),
        omitted: z.object({ low: z.int(), medium: z.int(), high: z.int(), critical: z.int() }),
      }),
  }),
}
