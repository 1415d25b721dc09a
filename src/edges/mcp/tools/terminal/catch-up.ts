import * as z from 'zod'
import type { CatchUp } from '../../../../app/catch-up/catch-up.ts'
import { kinds, severities, type Item } from '../../../../app/catch-up/item.ts'
import { ok } from '../../../../lib/result.ts'
import { standingOf } from '../../link.ts'
import { reply, tool } from '../tool.ts'
import { terminalId } from './common.ts'

const Severity = z.enum(severities)

const Event = z.object({
  at: z.string(),
  severity: Severity,
  kind: z.enum(kinds),
  session_id: z.string().optional(),
  text: z.string(),
  context: z.array(z.string()).optional(),
  times: z.int().optional(),
  last: z.string().optional(),
  request_id: z.string().optional(),
})

export const catchUpTool = (catchUp: CatchUp) =>
  tool({
    name: 'catch_up',
    title: 'What happened since',
    description: [
      'What happened since your last look, in as many tokens as you give: the most important first, repetitions folded.',
      'Terminals, conversations, tool calls and asks of your sessions. omitted says how much there was no room for.',
    ].join(' '),
    input: z.strictObject({
      session_id: z.string().max(100).optional().describe('Only this session; by default all that you can see.'),
      since: z
        .string()
        .min(1)
        .max(10_000)
        .optional()
        .describe('A cursor of an earlier call, or a time; by default your last look.'),
      token_budget: z.int().min(100).max(100_000).default(2000).describe('Maximum length of the result.'),
      min_severity: Severity.default('low').describe('What matters less is only counted.'),
    }),
    output: z.object({
      events: z.array(Event),
      summary: z.string(),
      cursor: z.string(),
      omitted: z.object({ low: z.int(), medium: z.int(), high: z.int(), critical: z.int() }),
    }),
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: false },
    async run({ session_id, since = null, token_budget: tokens, min_severity: minSeverity }, call) {
      const id = session_id === undefined ? ok(null) : terminalId(session_id)
      if (!id.ok) return id
      const who = standingOf(call.link)
      const told = await catchUp.look({ who, sessionId: id.value, since, tokens, minSeverity, shape })
      if (!told.ok) return told
      // Marked as seen only once sent: a lost reply is given again.
      call.onceSent(() => catchUp.seen(who, id.value, told.value.cursor))
      return reply(told.value)
    },
  })

const shape = ({ at, severity, kind, sessionId, text, context, times, last, askId }: Item) => ({
  at,
  severity,
  kind,
  ...(sessionId !== null && { session_id: sessionId }),
  text,
  ...(context.length > 0 && { context: [...context] }),
  ...(times > 1 && { times }),
  ...(last !== null && { last }),
  ...(askId !== null && { request_id: askId }),
})
