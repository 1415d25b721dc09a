import * as z from 'zod'
import { Session } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'

export const practiceEndpoints = {
  startPractice: endpoint({
    method: 'POST',
    path: '/api/practice',
    tag: 'sessions',
    summary: 'Start the practice agent in its own small repo, which is created if it is missing',
    status: 201,
    body: z.strictObject({}),
    response: Session,
  }),
}
