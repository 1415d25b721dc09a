import * as z from 'zod'
import { overviewBy } from '../../domain/session/overview.ts'
import { endpoint } from '../endpoint.ts'

const figures = {
  sessions: z.int().meta({ description: 'Started.' }),
  costUsd: z.number().meta({ description: 'As agents reported it.' }),
  asks: z.int(),
  answered: z.int().meta({ description: 'By people.' }),
  automatic: z.int().meta({ description: 'Answered by a policy or an allowance.' }),
  waitedSeconds: z.int().meta({ description: 'How long asks waited until people answered, together.' }),
}

export const Overview = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    by: z.enum(overviewBy),
    totals: z.object(figures),
    rows: z
      .array(
        z.object({
          key: z
            .string()
            .meta({ description: 'A day, an agent, or the id of a repo or person; empty if there is none.' }),
          label: z.string(),
          ...figures,
        }),
      )
      .meta({ description: 'Days in order; others by number of sessions. At most 4,000.' }),
  })
  .meta({ id: 'Overview' })
export type Overview = z.infer<typeof Overview>

export const overviewEndpoints = {
  overview: endpoint({
    method: 'GET',
    path: '/api/overview',
    tag: 'sessions',
    summary: 'What ran, what it cost and how long asks waited for whom, of sessions that you can see',
    status: 200,
    query: () =>
      z.strictObject({
        from: z.iso.date().optional().meta({ description: 'First day, UTC; 29 days before the last if omitted.' }),
        to: z.iso.date().optional().meta({ description: 'Last day, UTC; today if omitted.' }),
        by: z
          .enum(overviewBy)
          .default('day')
          .meta({ description: 'With person: sessions and cost of owners, answers of those who answered.' }),
        format: z.enum(['json', 'csv']).default('json'),
      }),
    response: Overview,
  }),
}
