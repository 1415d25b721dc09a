import * as z from 'zod'
import type { Result } from '../../../lib/result.ts'
import type { AskResult } from '../calls/tool-call.ts'
import { requestId } from './common.ts'
import { reply, tool, type ToolResult } from './tool.ts'

const promptTypes = ['continuation', 'clarification', 'error_recovery', 'resource_warning'] as const

const input = z.strictObject({
  prompt_text: z
    .string()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Required. What you would ask a person beside you.'),
  prompt_type: z
    .enum(promptTypes)
    .default('continuation')
    .describe('continuation: may I continue? error_recovery is only ever answered by a person.'),
  elapsed_seconds: z.number().min(0).optional().describe('How long you have been working.'),
  actions_taken: z.int().min(0).optional().describe('How many steps you have taken.'),
  request_id: requestId,
})

const output = z.object({
  decision: z.enum(['continue', 'refine', 'stop']).optional(),
  instruction: z.string().optional(),
  automatic: z.boolean().optional().describe('Nobody answered in time, or a policy did.'),
  status: z.literal('pending').optional(),
  request_id: z.string(),
})

export const forwardPrompt = tool({
  name: 'forward_prompt',
  aliases: ['transmit'],
  title: 'Ask your operator how to continue',
  description: [
    'Ask your operator a question and wait: whether to continue, what is meant, how to deal with an error.',
    'continue: continue as planned. refine: continue as the instruction says. stop: end what you are doing.',
  ].join(' '),
  input,
  output,
  annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  recordsSignOfLife: true,
  needs: ['prompt_text'],
  async run({ prompt_text: text = '', prompt_type, elapsed_seconds, actions_taken, request_id }, call) {
    if (request_id !== undefined) return decision(await call.reattach(request_id, ['prompt']))
    const subject = {
      kind: 'prompt' as const,
      text,
      promptType: prompt_type,
      elapsedSeconds: elapsed_seconds ?? null,
      actionsTaken: actions_taken ?? null,
    }
    const title = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)
    return decision(await call.ask({ title: title === '' ? 'An empty question' : title, subject }))
  },
})

function decision(held: Result<AskResult>): ToolResult {
  if (!held.ok) return held
  const { ask, pending } = held.value
  if (pending) return reply({ status: 'pending', request_id: ask.id })
  const { answer, automatic } = ask
  const rest = { request_id: ask.id, ...(automatic && { automatic }) }
  if (answer?.outcome === 'refine') return reply({ decision: 'refine', instruction: answer.instruction, ...rest })
  return reply({ decision: answer?.outcome === 'continue' ? 'continue' : 'stop', ...rest })
}
