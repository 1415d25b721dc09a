import * as z from 'zod'
import { requestId } from '../common.ts'
import { tool } from '../tool.ts'
import { adminOutput, askAdministrators, statusWords, type AdminToolDeps } from './common.ts'

export const createAgent = (deps: AdminToolDeps) =>
  tool({
    name: 'create_agent',
    title: 'Ask for another agent',
    description: [
      'Ask the administrators of your agent group for another agent, which may never do more than you.',
      'Once they approve, destination is its name for send_message.',
      statusWords,
    ].join(' '),
    input: z.strictObject({
      name: z.string().min(1).max(200).optional().describe('Required. Its name; no other agent group may have it.'),
      instructions: z.string().min(1).max(100_000).optional().describe('Required. What it is for and how it works.'),
      reason: z.string().max(10_000).optional().describe('Why you need it.'),
      request_id: requestId,
    }),
    output: z.object({ ...adminOutput, destination: z.string().optional() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['name', 'instructions'],
    run({ name = '', instructions = '', reason, request_id }, call) {
      if (request_id !== undefined)
        return askAdministrators(deps, call, { requestId: request_id, kind: 'create_agent' })
      return askAdministrators(deps, call, {
        title: `Create the agent ${name}?`,
        subject: { kind: 'create_agent', name, instructions, reason: reason ?? null },
      })
    },
  })
