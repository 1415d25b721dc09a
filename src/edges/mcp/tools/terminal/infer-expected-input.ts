import * as z from 'zod'
import type { Inputs } from '../../../../app/inputs.ts'
import { ok } from '../../../../lib/result.ts'
import { reply, tool } from '../tool.ts'
import { terminalId } from './common.ts'

const Alternative = z.object({
  input: z.string(),
  count: z.int(),
  success_rate: z.number(),
  confidence: z.number(),
})

export const inferExpectedInput = (inputs: Inputs) =>
  tool({
    name: 'infer_expected_input',
    title: 'What was answered before',
    description: [
      'What your operator answered to the same prompt before, how often and how it went.',
      'It is a hint, not a permission. Without session_id, program or host, all their answers are used, with less confidence.',
    ].join(' '),
    input: z.strictObject({
      prompt_text: z.string().min(1).max(8192).describe('The whole prompt.'),
      session_id: z.string().max(100).optional().describe('The terminal that asks.'),
      program: z.string().max(1024).optional().describe('The program that asks.'),
      host: z.string().max(1024).optional().describe('Where it runs.'),
    }),
    output: z.object({
      expected: z.string().optional(),
      confidence: z.number(),
      occurrences: z.int(),
      success_rate: z.number(),
      alternatives: z.array(Alternative),
      warnings: z.array(z.string()),
    }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run({ prompt_text: promptText, session_id, program = null, host = null }, { link }) {
      const id = session_id === undefined ? ok(null) : terminalId(session_id)
      if (!id.ok) return id
      const found = await inputs.infer({ promptText, sessionId: id.value, program, host, actor: link.actor })
      if (!found.ok) return found
      const { expected, confidence, occurrences, successRate, alternatives, warnings } = found.value
      return reply({
        ...(expected !== null && { expected }),
        confidence,
        occurrences,
        success_rate: successRate,
        alternatives: alternatives.map(({ response, count, successRate: rate, confidence: certain }) => ({
          input: response,
          count,
          success_rate: rate,
          confidence: certain,
        })),
        warnings: [...warnings],
      })
    },
  })
