import * as z from 'zod'
import type { Terminals } from '../../../../app/terminals.ts'
import { TerminalState } from '../../../../domain/terminal/schema.ts'
import { reply, tool } from '../tool.ts'
import { DetectionShape, isWaiting, monitor, shownDetection, shownTerminal } from './common.ts'

const Listed = z.object({ ...monitor, waiting: z.boolean(), detection: DetectionShape.nullable() })

export const listSessionMonitors = (terminals: Terminals) =>
  tool({
    name: 'list_session_monitors',
    title: 'List watched terminals',
    description: 'The terminals you started or were given, newest first, and what each is waiting for now.',
    input: z.strictObject({ state: TerminalState.optional().describe('active or stopped; both by default.') }),
    output: z.object({ sessions: z.array(Listed) }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run({ state }, { link }) {
      const found = await terminals.list(link.actor, state === undefined ? {} : { state })
      if (!found.ok) return found
      return reply({
        sessions: found.value.map(({ terminal, detection }) =>
          Object.assign(shownTerminal(terminal), {
            waiting: isWaiting(detection),
            detection: isWaiting(detection) ? shownDetection(detection) : null,
          }),
        ),
      })
    },
  })
