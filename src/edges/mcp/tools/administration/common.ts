import * as z from 'zod'
import type { AskKind, AskSubject } from '../../../../domain/ask/subject.ts'
import type { AskId } from '../../../../domain/ask/id.ts'
import type { Json } from '../../../../lib/json.ts'
import { fail, type Result } from '../../../../lib/result.ts'
import type { AskResult, ToolCall } from '../../calls/tool-call.ts'
import type { ToolDeps } from '../../deps.ts'
import { endedHow, reasonOf } from '../common.ts'
import { reply, type ToolResult } from '../tool.ts'

export type AdminToolDeps = Pick<ToolDeps, 'administration'>

export const reasonField = (what: string) => z.string().min(1).max(10_000).optional().describe(`Required. ${what}`)

export const adminOutput = {
  status: z.enum(['approved', 'rejected', 'failed', 'timeout', 'interrupted', 'pending']),
  request_id: z.string(),
  reason: z.string().optional(),
}

export const statusWords =
  'approved: it was done. rejected or failed: read the reason. pending: call again with request_id alone.'

/** Opens an ask for administrators, and waits until what they approved was carried out. */
export async function askAdministrators(
  { administration }: AdminToolDeps,
  call: ToolCall,
  wish: { title: string; subject: AskSubject } | { requestId: string; kind: AskKind },
): Promise<ToolResult> {
  if (call.session.agentGroupId === null) return noGroup
  // As long as this call waits, nobody has to send the agent a message.
  using waiting = new DisposableStack()
  const known = (id: AskId) => void waiting.use(administration.expect(id))
  if ('requestId' in wish) {
    known(wish.requestId as AskId)
    return outcome(await call.reattach(wish.requestId, [wish.kind]))
  }
  return outcome(await call.ask({ ...wish, known }))
}

function outcome(held: Result<AskResult>): ToolResult {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const base = { request_id: ask.id }
  if (pending) return reply({ status: 'pending', ...base })
  const reason = reasonOf(ask.answer) ?? ask.reason
  const why = reason === null ? {} : { reason }
  const ended = endedHow(ask)
  if (ended) return reply({ status: ended, ...base, ...why })
  if (ask.status === 'failed') return reply({ status: 'failed', ...base, ...why })
  if (ask.status !== 'consumed') return reply({ status: 'rejected', ...base, ...why })
  return reply({ status: 'approved', ...base, ...resultOf(ask.result) })
}

/** What the agent needs to know of the result. */
function resultOf(result: Json | null): { destination?: string } {
  const { destination } = (result ?? {}) as { destination?: unknown }
  return typeof destination === 'string' ? { destination } : {}
}

const noGroup = fail({
  kind: 'conflict',
  code: 'no_agent_group',
  message: 'This session belongs to no agent group, so there is nothing that administrators could change.',
  hint: 'Ask your operator to do it.',
})
