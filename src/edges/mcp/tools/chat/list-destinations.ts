import * as z from 'zod'
import { reply, tool } from '../tool.ts'
import type { ChatDeps } from './common.ts'

const output = z.object({
  destinations: z.array(z.object({ name: z.string(), type: z.enum(['channel', 'agent']), description: z.string() })),
})

export const listDestinations = (deps: ChatDeps) =>
  tool({
    name: 'list_destinations',
    title: 'List where you can send messages',
    description: 'Names of the chats and agents that send_message and send_file can reach.',
    input: z.strictObject({}),
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run(_input, { session }) {
      const known = await deps.chat.destinations(session)
      return reply({ destinations: known.map(({ name, type, description }) => ({ name, type, description })) })
    },
  })
