import * as z from 'zod'
import type { Terminals } from '../../../../app/terminals.ts'
import { reply, tool } from '../tool.ts'
import { sessionId, terminalId } from './common.ts'

export const getSessionUpdates = (terminals: Terminals) =>
  tool({
    name: 'get_session_updates',
    title: 'Read what a terminal printed',
    description: [
      'What was printed since the cursor of your last call; without one, from the first byte that is kept.',
      'The cursor is yours: other readers do not affect it. has_more: call again at once.',
    ].join(' '),
    input: z.strictObject({
      session_id: sessionId,
      cursor: z.string().max(200).optional().describe('As returned by the last call.'),
      max_lines: z.int().min(1).max(10_000).default(50).describe('How many lines at most.'),
      format: z
        .enum(['text', 'ansi', 'screen'])
        .default('text')
        .describe('text: without escape sequences. ansi: as it was printed. screen: what a person sees now.'),
    }),
    output: z.object({
      text: z.string(),
      cursor: z.string(),
      epoch: z.int(),
      truncated: z.boolean(),
      has_more: z.boolean(),
    }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run({ session_id, cursor = null, max_lines: maxLines, format }, { link }) {
      const id = terminalId(session_id)
      const read = id.ok ? await terminals.updates(id.value, { cursor, maxLines, format }, link.actor) : id
      if (!read.ok) return read
      const { text, cursor: next, epoch, truncated, hasMore } = read.value
      return reply({ text, cursor: next, epoch, truncated, has_more: hasMore })
    },
  })
