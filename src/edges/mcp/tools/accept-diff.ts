import * as z from 'zod'
import type { AskId } from '../../../domain/ask/schema.ts'
import { requestNotFound } from '../calls/tool-call.ts'
import type { ApplyApproved } from '../deps.ts'
import { notVouched } from './common.ts'
import { reply, tool } from './tool.ts'

const input = z.strictObject({
  request_id: z.string().max(100).describe('The request_id of an approved ask_approval.'),
  force: z
    .boolean()
    .default(false)
    .describe('Apply even if a file has changed since you asked; your operator is notified. Only if they want that.'),
})

const output = z.object({
  status: z.literal('applied'),
  files_written: z.array(z.object({ path: z.string(), bytes: z.int() })),
  forced: z.boolean().optional(),
})

export const acceptDiff = (applying: ApplyApproved) =>
  tool({
    name: 'accept_diff',
    aliases: ['check_diff'],
    title: 'Apply an approved change',
    description: [
      'Write exactly what was approved: all files or none. Call it once, after ask_approval said "approved".',
      'patch_conflict: a file changed meanwhile; read it again and ask again. already_consumed: it is done.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run({ request_id, force }, call) {
      if (call.session.workspaceClaimed) return notVouched
      const found = await call.app.read.askOfLineage(request_id, call.link.sessionId)
      if (found?.kind !== 'diff') return requestNotFound(request_id)
      const applied = await applying.apply({
        askId: request_id as AskId,
        by: call.link.actor,
        force,
        key: call.key,
      })
      if (!applied.ok) return applied
      const { filesWritten, forced } = applied.value
      return reply({ status: 'applied', files_written: filesWritten, ...(forced && { forced }) })
    },
  })
