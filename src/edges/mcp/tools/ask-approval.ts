import * as z from 'zod'
import { RiskLevel } from '../../../domain/ask/schema.ts'
import type { AskResult } from '../calls/tool-call.ts'
import type { FileChanges } from '../deps.ts'
import type { Result } from '../../../lib/result.ts'
import { endedHow, notVouched, reasonOf, requestId, title } from './common.ts'
import { reply, tool, type ToolResult } from './tool.ts'

const input = z.strictObject({
  title: title('Required. What you want to do, in one line.'),
  diff: z
    .string()
    .max(4_000_000)
    .optional()
    .describe('Required. A unified diff over one or more files, or the whole new content of file_path.'),
  file_path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Required. The file it is about, relative to the workspace; with a diff, one of its files.'),
  description: z.string().max(100_000).optional().describe('Why, and what to look at; Markdown is fine.'),
  risk_level: RiskLevel.default('low').describe(
    'How bad it would be if it went wrong. A policy never answers critical.',
  ),
  request_id: requestId,
})

const output = z.object({
  status: z.enum(['approved', 'rejected', 'timeout', 'interrupted', 'pending']),
  request_id: z.string(),
  reason: z.string().optional(),
})

export const askApproval = (changes: FileChanges) =>
  tool({
    name: 'ask_approval',
    aliases: ['check_clearance'],
    title: 'Ask for approval of a change',
    description: [
      'Ask your operator to approve a change to files before you make it, and wait for the answer.',
      'approved: call accept_diff with the request_id, which writes exactly what was approved; do not write it yourself.',
      'rejected: do not make the change; read the reason. pending: call again with request_id alone.',
      'One approval at a time: wait for it before you ask for the next.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['title', 'diff', 'file_path'],
    async run({ title: words = '', diff = '', file_path: filePath = '', description, risk_level, request_id }, call) {
      if (request_id !== undefined) return verdict(await call.reattach(request_id, ['diff']))
      const { workspaceRoot, workspaceClaimed } = call.session
      if (workspaceClaimed) return notVouched
      const mark = await call.app.read.workspaceMark(call.session.id)
      const looked = await changes.look({ root: workspaceRoot, mark, filePath, diff })
      if (!looked.ok) return looked
      const { files, preview } = looked.value
      return verdict(
        await call.ask({
          origin: 'ask_approval',
          title: words,
          description: description ?? null,
          riskLevel: risk_level,
          subject: { kind: 'diff', filePath, diff, files, ...(preview !== null && { preview }) },
        }),
      )
    },
  })

function verdict(held: Result<AskResult>): ToolResult {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const reason = reasonOf(ask.answer) ?? (ask.answer === null ? ask.reason : null)
  return reply({ status: statusOf(ask, pending), request_id: ask.id, ...(reason !== null && { reason }) })
}

function statusOf(ask: AskResult['ask'], pending: boolean): z.infer<typeof output>['status'] {
  if (pending) return 'pending'
  return endedHow(ask) ?? (ask.answer?.outcome === 'approve' ? 'approved' : 'rejected')
}
