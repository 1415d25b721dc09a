import * as z from 'zod'
import { RiskLevel } from '../../../domain/ask/schema.ts'
import type { Result } from '../../../lib/result.ts'
import type { AskResult } from '../calls/tool-call.ts'
import { requestId } from './common.ts'
import { reply, tool, type ToolResult } from './tool.ts'

const input = z.strictObject({
  tool_name: z
    .string()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Required. The tool you are about to use; with kind terminal_command the command line itself.'),
  kind: z.enum(['terminal_command', 'file_operation']).optional().describe('Kind of message.'),
  context: z
    .strictObject({ file_path: z.string().max(4096).optional(), risk_level: RiskLevel.optional() })
    .optional()
    .describe('The file it touches, and how risky you think it is.'),
  request_id: requestId,
})

const output = z.object({
  auto_approved: z.boolean(),
  matched_rule: z.string().nullable(),
  status: z.literal('pending').optional(),
  request_id: z.string().optional(),
})

export const checkAutoApprove = tool({
  name: 'check_auto_approve',
  aliases: ['auto_check'],
  title: 'Check whether something may be done',
  description: [
    'Ask before you run a command or use a tool. auto_approved true: continue.',
    'For a terminal command that no rule allows, the call asks your operator and waits; false then means no.',
    'For tools and files false means that no rule allows it: use ask_approval for changes of files.',
  ].join(' '),
  input,
  output,
  annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  needs: ['tool_name'],
  async run({ tool_name = '', kind, context, request_id }, call) {
    if (request_id !== undefined) return verdict(await call.reattach(request_id, ['command', 'tool']))
    const riskLevel = context?.risk_level ?? 'low'
    if (kind === 'terminal_command') {
      const subject = { kind: 'command' as const, command: tool_name, cwd: call.session.workspaceRoot }
      return verdict(await call.ask({ title: titleOf(tool_name), riskLevel, subject }))
    }
    const filePath = context?.file_path
    const subject = {
      kind: 'tool' as const,
      tool: tool_name.slice(0, 10_000),
      input: filePath === undefined ? {} : { file_path: filePath },
    }
    const held = await call.ask({ title: titleOf(tool_name), riskLevel, subject, unasked: true })
    return !held.ok && held.fault.code === 'no_rule' ? reply(no) : verdict(held)
  },
})

const no = { auto_approved: false, matched_rule: null }

function verdict(held: Result<AskResult>): ToolResult {
  if (!held.ok) return held
  const { ask, pending } = held.value
  if (pending) return reply({ ...no, status: 'pending', request_id: ask.id })
  if (ask.answer?.outcome !== 'approve') return reply(no)
  const rule = ask.answeredBy?.startsWith('policy:') ? ask.answeredBy.slice('policy:'.length) : 'operator:approved'
  return reply({ auto_approved: true, matched_rule: rule })
}

const longest = 500
const titleOf = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line === '' ? 'An empty command' : line.slice(0, longest)
}
