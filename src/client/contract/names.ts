import * as z from 'zod'
import { UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'

export const nameEndpoints = {
  listNames: endpoint({
    method: 'GET',
    path: '/api/names',
    tag: 'people',
    summary: 'Names of all people, including those who left; nothing else about them',
    status: 200,
    response: z.object({ people: z.array(z.object({ id: UserId, displayName: z.string() })) }),
  }),
}
