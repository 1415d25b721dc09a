import * as z from 'zod'
import { ScheduleCommand, type ScheduleId } from '../../../../domain/schedule/schema.ts'
import { derivedId } from '../../../../lib/derived-id.ts'
import { newId } from '../../../../lib/id.ts'
import { tool } from '../tool.ts'
import { asTask, policies, replyTask, Task, timing } from './common.ts'

const input = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe('What to do then, complete in itself: a fresh session knows nothing else.'),
  ...timing,
  session: z
    .enum(['same', 'fresh'])
    .default('same')
    .describe('same: the prompt comes to this session. fresh: a new session each time.'),
  ...policies,
})

export const scheduleTask = tool({
  name: 'schedule_task',
  title: 'Schedule a task',
  description: [
    'Have a prompt run later: once (at), at an interval (every), or by a cron line (cron). Give exactly one of them.',
    'It runs as your operator, in this workspace, with your rights.',
  ].join(' '),
  input,
  output: Task,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run({ time_zone: timeZone, ...asked }, call) {
    const { app, link, key } = call
    const id = key === null ? newId<ScheduleId>() : derivedId<ScheduleId>('mcp task', link.sessionId, key)
    const command = ScheduleCommand.parse({
      type: 'schedule.create',
      id,
      ...asked,
      ...(timeZone !== undefined && { timeZone }),
    })
    const made = await app.dispatch(command, link.actor)
    // The same call was made before.
    return made.ok || made.fault.code === 'schedule_exists' ? replyTask(call, id) : asTask(made)
  },
})
