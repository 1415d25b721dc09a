import * as z from 'zod'
import type { Result } from '../../../lib/result.ts'
import type { AskResult, ToolCall } from '../calls/tool-call.ts'
import { requestId } from './common.ts'
import { reply, tool, type ToolResult } from './tool.ts'

const input = z.strictObject({
  message: z.string().max(100_000).optional().describe('What you have done, or what you need to continue.'),
  timeout_seconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .default(0)
    .describe('The longest time to wait; 0: as long as your operator has set, usually with no limit.'),
  request_id: requestId,
})

const output = z.object({
  status: z.enum(['resumed', 'stopped', 'timeout', 'pending']),
  instruction: z.string().optional(),
  request_id: z.string(),
})

export const waitForInstruction = tool({
  name: 'wait_for_instruction',
  aliases: ['standby'],
  title: 'Wait for instructions',
  description: [
    "When you are done, or can't continue alone: wait until your operator tells you what is next.",
    'resumed: do what the instruction says (without one: continue). stopped: end your work. timeout: no answer.',
  ].join(' '),
  input,
  output,
  annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  recordsSignOfLife: true,
  async run({ message, timeout_seconds, request_id }, call) {
    if (request_id !== undefined) return outcome(await call.reattach(request_id, ['wait']), call)
    const timeoutSeconds = timeout_seconds === 0 ? null : timeout_seconds
    const subject = { kind: 'wait' as const, message: message ?? null }
    return outcome(await call.ask({ title: 'Waiting for instructions', subject, timeoutSeconds }), call)
  },
})

async function outcome(held: Result<AskResult>, { app, link }: ToolCall): Promise<ToolResult> {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const request_id = ask.id
  if (pending) return reply({ status: 'pending', request_id })
  if (ask.status === 'expired') return reply({ status: 'timeout', request_id })
  if (ask.answer?.outcome !== 'resume') {
    await app.dispatch({ type: 'session.end_turn', id: link.sessionId }, link.actor)
    return reply({ status: 'stopped', request_id })
  }
  const { instruction } = ask.answer
  return reply({ status: 'resumed', ...(instruction !== null && { instruction }), request_id })
}
