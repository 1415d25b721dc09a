import * as z from 'zod'
import { UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'

export const nameEndpoints = {
  listNames: endpoint({
    method: 'GET',
    path: '/api/names',
    tag: 'people',
    summary: 'What people here are called, those who left among them; nothing else of them',
    status: 200,
    response: z.object({ people: z.array(z.object({ id: UserId, displayName: z.string() })) }),
  }),
}
