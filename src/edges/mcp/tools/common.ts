import * as z from 'zod'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { fail } from '../../../lib/result.ts'

/** Input fields that several tools share. */
export const requestId = z
  .string()
  .max(100)
  .optional()
  .describe('The request_id of an earlier call that said "pending": keeps waiting for it; nothing else is required.')

export const title = (what: string, longest = 1000) => z.string().min(1).max(longest).optional().describe(what)

/** Tools that touch files require a workspace that a person configured. */
export const notVouched = fail({
  kind: 'forbidden',
  code: 'workspace_not_vouched',
  message: 'This session named its own workspace, so Signalbox does not read or change files there.',
  hint: 'A person must add it first: workspace_root or [[workspace]] in config.toml, or signalbox repos add.',
})

export const reasonOf = (answer: Answer | null): string | null =>
  answer !== null && 'reason' in answer ? answer.reason : null

/** How an ask ended without an answer; null if it did not. */
export const endedHow = ({ status }: Ask): 'timeout' | 'interrupted' | null =>
  status === 'expired' ? 'timeout' : status === 'interrupted' || status === 'cancelled' ? 'interrupted' : null
