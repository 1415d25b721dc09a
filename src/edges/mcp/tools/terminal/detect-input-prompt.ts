import * as z from 'zod'
import type { Terminals } from '../../../../app/terminals.ts'
import { fail } from '../../../../lib/result.ts'
import { reply, tool } from '../tool.ts'
import { DetectionShape, explained, explanation, isWaiting, sessionId, shownDetection, terminalId } from './common.ts'
import type { ShownPrompts } from './shown-prompts.ts'

export const detectInputPrompt = (terminals: Terminals, shown: ShownPrompts) =>
  tool({
    name: 'detect_input_prompt',
    title: 'See whether a terminal is waiting for input',
    description: [
      'Whether the program is waiting for input now, for what, and whether an answer would be dangerous.',
      'Give prompt_id to send_session_input as expect_prompt, so that no other prompt is answered.',
    ].join(' '),
    input: z.strictObject({
      session_id: sessionId,
      min_confidence: z.number().default(0.7).describe('0 to 1: less certain ones do not count as waiting.'),
      explain: z.boolean().default(false).describe('Also the reasons for and against.'),
    }),
    output: z.object({ waiting: z.boolean(), detection: DetectionShape.optional(), explanation }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run({ session_id, min_confidence: least, explain }, { link }) {
      if (!(least >= 0 && least <= 1)) return fail(invalidConfidence(least))
      const id = terminalId(session_id)
      const found = id.ok ? await terminals.detect(id.value, link.actor) : id
      if (!id.ok || !found.ok) return found
      shown.note(link, id.value, found.value.waiting ? found.value.promptId : null)
      if (isWaiting(found.value) && found.value.confidence >= least)
        return reply({ waiting: true, detection: shownDetection(found.value, explain) })
      return reply({ waiting: false, ...(explain && { explanation: explained(found.value) }) })
    },
  })

const invalidConfidence = (given: number) => ({
  kind: 'invalid' as const,
  code: 'invalid_confidence',
  message: `min_confidence can't be ${given}.`,
  hint: 'Give a number from 0 to 1, or leave it out for 0.7.',
})
