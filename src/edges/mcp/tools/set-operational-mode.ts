import * as z from 'zod'
import { OperationalMode } from '../../../domain/session/schema.ts'
import { reply, tool } from './tool.ts'

const input = z.strictObject({
  mode: OperationalMode.describe('remote: chat and phone; local: at the desk only; hybrid: both.'),
})
const output = z.object({ previous_mode: OperationalMode, current_mode: OperationalMode })

export const setOperationalMode = tool({
  name: 'set_operational_mode',
  aliases: ['switch_freq'],
  title: 'Choose where your asks are announced',
  description: 'Every ask is in the inbox; the mode decides where else it is announced. Change it only when told to.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ mode }, { app, link, session }) {
    const done = await app.dispatch({ type: 'session.set_mode', id: link.sessionId, mode }, link.actor)
    return done.ok ? reply({ previous_mode: session.mode, current_mode: mode }) : done
  },
})
