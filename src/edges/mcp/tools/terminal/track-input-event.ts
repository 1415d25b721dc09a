import * as z from 'zod'
import type { Inputs } from '../../../../app/inputs.ts'
import { InputSource, PromptType } from '../../../../domain/terminal/schema.ts'
import { reply, tool } from '../tool.ts'
import { asTime, sessionId, terminalId, time } from './common.ts'

export const trackInputEvent = (inputs: Inputs) =>
  tool({
    name: 'track_input_event',
    title: 'Record an answer',
    description: [
      'Records what was typed at a prompt, so that Signalbox can learn from it. What send_session_input types is recorded automatically.',
      'Answers to secret prompts are never stored.',
    ].join(' '),
    input: z.strictObject({
      session_id: sessionId,
      prompt_text: z.string().min(1).max(8192).describe('The whole prompt.'),
      input_text: z.string().max(8192).describe('What was typed.'),
      input_source: InputSource.describe('Who typed it: a person, you, or Signalbox automatically.'),
      success: z.boolean().optional().describe('Whether it was accepted; by default, found out from what follows.'),
      response_time_ms: z.int().min(0).max(2_147_483_647).optional().describe('From the prompt to the answer.'),
      timestamp: time.optional().describe('When; now by default.'),
    }),
    output: z.object({
      event_id: z.string(),
      session_id: z.string(),
      timestamp: z.string(),
      prompt_text: z.string(),
      prompt_type: PromptType,
      input_text: z.string(),
      success: z.boolean().nullable(),
      input_source: InputSource,
      response_time_ms: z.int(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run({ session_id, prompt_text, input_text, input_source, success, response_time_ms, timestamp }, call) {
      const id = terminalId(session_id)
      if (!id.ok) return id
      const done = await inputs.track({
        sessionId: id.value,
        promptText: prompt_text,
        inputText: input_text,
        source: input_source,
        success: success ?? null,
        responseTimeMs: response_time_ms ?? 0,
        at: timestamp === undefined ? null : asTime(timestamp),
        key: call.key === null ? null : `${call.link.sessionId} ${call.key}`,
        actor: call.link.actor,
      })
      if (!done.ok) return done
      const { value: event } = done
      return reply({
        event_id: event.id,
        session_id: event.sessionId,
        timestamp: event.at,
        prompt_text: event.promptText,
        prompt_type: event.promptType,
        input_text: event.inputText,
        success: event.success,
        input_source: event.inputSource,
        response_time_ms: event.responseTimeMs,
      })
    },
  })
