import * as z from 'zod'
import { fail, type Result } from '../../../../lib/result.ts'
import type { AskResult } from '../../calls/tool-call.ts'
import { requestId, title } from '../common.ts'
import { reply, tool, type ToolResult } from '../tool.ts'
import type { ChatDeps } from './common.ts'

const label = z.string().trim().min(1).max(200)

const input = z.strictObject({
  title: title('Required. The topic, in one line.'),
  question: z.string().min(1).max(100_000).optional().describe('Required. The question. Markdown is supported.'),
  options: z
    .array(z.union([label, z.strictObject({ label, value: z.string().min(1).max(1000) })]))
    .max(20)
    .default([])
    .describe('Answers to choose from. value is what you get back; it is the label if you give only text.'),
  free_text: z.boolean().default(true).describe('Whether people may answer in their own words.'),
  answerers: z
    .array(z.string().min(1).max(220))
    .max(20)
    .default([])
    .describe('People by name, id or identity. By default your operator and the person who wrote to you last.'),
  timeout_seconds: z.int().min(1).max(31_536_000).default(300).describe('Maximum time to wait.'),
  request_id: requestId,
})

const output = z.object({
  status: z.enum(['answered', 'timeout', 'interrupted', 'pending']),
  value: z.string().optional(),
  by: z.string().optional(),
  declined: z.boolean().optional().describe('The person declined to answer.'),
  reason: z.string().optional(),
  request_id: z.string(),
})

export const askUserQuestion = (deps: ChatDeps) =>
  tool({
    name: 'ask_user_question',
    title: 'Ask someone a question',
    description: [
      'Ask a person a question and wait for the answer.',
      'answered: value is the answer. timeout: nobody answered in time; a later answer reaches you as a message.',
      'pending: call again with request_id alone.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    needs: ['title', 'question'],
    async run(asked, call) {
      if (asked.request_id !== undefined) return outcome(deps, await call.reattach(asked.request_id, ['question']))
      const { title: words = '', question = '', free_text: freeText, timeout_seconds: timeoutSeconds } = asked
      const options = asked.options.map((one) => (typeof one === 'string' ? { label: one, value: one } : one))
      if (options.length === 0 && !freeText) return noAnswer
      if (new Set(options.map(({ value }) => value)).size < options.length) return sameValue
      const answerers = await deps.chat.answerers(call.session, asked.answerers)
      if (!answerers.ok) return answerers
      const subject = { kind: 'question' as const, question, options, freeText }
      return outcome(deps, await call.ask({ title: words, subject, timeoutSeconds, answerers: answerers.value }))
    },
  })

async function outcome({ chat }: ChatDeps, held: Result<AskResult>): Promise<ToolResult> {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const request_id = ask.id
  if (pending) return reply({ status: 'pending', request_id })
  const { answer, answeredBy, status } = ask
  if (answer === null) return reply({ status: status === 'expired' ? 'timeout' : 'interrupted', request_id })
  const by = answeredBy === null ? {} : { by: await chat.answererName(answeredBy) }
  if (answer.outcome === 'reply') return reply({ status: 'answered', value: answer.value, ...by, request_id })
  const reason = 'reason' in answer && answer.reason !== null ? { reason: answer.reason } : {}
  return reply({ status: 'answered', declined: true, ...reason, ...by, request_id })
}

const noAnswer = fail({
  kind: 'invalid',
  code: 'invalid_input',
  message: 'The question has no options, and free_text is false.',
  hint: 'Add options, or allow free text.',
})

const sameValue = fail({
  kind: 'invalid',
  code: 'invalid_input',
  message: 'Two options have the same value.',
  hint: 'Give each option a unique value.',
})
