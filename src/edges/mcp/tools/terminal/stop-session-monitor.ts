import * as z from 'zod'
import type { Terminals } from '../../../../app/terminals.ts'
import { reply, tool } from '../tool.ts'
import { monitor, sessionId, shownTerminal, terminalId } from './common.ts'

export const stopSessionMonitor = (terminals: Terminals) =>
  tool({
    name: 'stop_session_monitor',
    title: 'Stop watching a terminal',
    description: 'Stops watching. The program keeps running, and no log or recording is deleted.',
    input: z.strictObject({ session_id: sessionId }),
    output: z.object({ ...monitor, bytes_captured: z.int() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run({ session_id }, { link }) {
      const id = terminalId(session_id)
      const done = id.ok ? await terminals.stop(id.value, link.actor) : id
      if (!done.ok) return done
      return reply({ ...shownTerminal(done.value.terminal), bytes_captured: done.value.bytesCaptured })
    },
  })
