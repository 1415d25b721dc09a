import * as z from 'zod'
import type { Match, Terminals } from '../../../../app/terminals.ts'
import { ok } from '../../../../lib/result.ts'
import { reply, tool } from '../tool.ts'
import { asTime, terminalId, time } from './common.ts'

const Found = z.object({
  session_id: z.string(),
  line: z.string(),
  offset: z.int(),
  timestamp: z.string(),
  context_before: z.array(z.string()),
  context_after: z.array(z.string()),
})

export const searchSessionHistory = (terminals: Terminals) =>
  tool({
    name: 'search_session_history',
    title: 'Search what terminals printed',
    description:
      'Searches the output of terminals you started or were given; newest first, with the lines around each match.',
    input: z.strictObject({
      query: z.string().min(1).max(1000).describe('What to look for; upper and lower case are the same.'),
      regex: z.boolean().default(false).describe('query is a regular expression (RE2: no back-references).'),
      session_id: z.string().max(100).optional().describe('Only this terminal.'),
      since: time.optional().describe('Only what was printed at or after this time.'),
      until: time.optional().describe('Only what was printed before this time.'),
      context_lines: z.int().min(0).max(10).default(3).describe('How many lines before and after each match.'),
      max_results: z.int().min(1).max(100).default(10),
    }),
    output: z.object({ matches: z.array(Found), truncated: z.boolean(), did_you_mean: z.array(z.string()).optional() }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run({ query, regex, session_id, since, until, context_lines, max_results }, { link }) {
      const id = session_id === undefined ? ok(null) : terminalId(session_id)
      if (!id.ok) return id
      if (id.value !== null) {
        const there = await terminals.get(id.value, link.actor)
        if (!there.ok) return there
      }
      const found = await terminals.search(
        {
          query,
          regex,
          sessionId: id.value,
          since: since === undefined ? null : asTime(since),
          until: until === undefined ? null : asTime(until),
          contextLines: context_lines,
          maxResults: max_results,
        },
        link.actor,
      )
      if (!found.ok) return found
      const { matches, truncated, didYouMean } = found.value
      const hint = matches.length === 0 && didYouMean.length > 0
      return reply({ matches: matches.map(shown), truncated, ...(hint && { did_you_mean: [...didYouMean] }) })
    },
  })

const shown = ({ sessionId, line, offset, at, before, after }: Match) => ({
  session_id: sessionId,
  line,
  offset,
  timestamp: at,
  context_before: [...before],
  context_after: [...after],
})
